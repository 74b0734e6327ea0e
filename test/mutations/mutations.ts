import { pipelinedMutations } from './pipelined';
import { brokerMutations } from './broker';
import { cacheMutations } from './cache';
import { constraintMutations } from './constraints';
import { evidenceMutations } from './evidence';
import type { Mutation } from './mutation';
import { ownerMutations } from './owners';
import { peopleMutations } from './people';
import { pipelineMutations } from './pipeline';
import { requestMutations } from './requests';
import { ruleMutations } from './rules';
import { storageMutations } from './storage';
import { workerMutations } from './workers';

/** Every guard that is taken out. */
export const mutations: readonly Mutation[] = [
  ...pipelineMutations,
  ...evidenceMutations,
  ...pipelinedMutations,
  ...brokerMutations,
  ...cacheMutations,
  ...requestMutations,
  ...ruleMutations,
  ...peopleMutations,
  ...constraintMutations,
  ...storageMutations,
  ...ownerMutations,
  ...workerMutations,
];
