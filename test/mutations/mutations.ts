import { brokerMutations } from './broker';
import { constraintMutations } from './constraints';
import type { Mutation } from './mutation';
import { pipelineMutations } from './pipeline';
import { ruleMutations } from './rules';

/** Every guard that is taken out. */
export const mutations: readonly Mutation[] = [...pipelineMutations, ...brokerMutations, ...ruleMutations, ...constraintMutations];
