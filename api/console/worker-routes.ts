import Joi from 'joi';
import {
  partitionCount,
  WORKER_LENGTH_MAX,
  WORKERS_KEY,
  type IdentityCommands,
} from '../../shared/identity/commands';
import type { Endpoint, Input } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import { partitionsResize, workerChange } from './schemas';

/**
 * What administrators do with workers and partitions. Workers decide it, and carry it out: an API
 * has no rights for that.
 */

const CARRIED_OUT = 'The stream shows how far it has come.';

const resize: Endpoint = {
  method: 'post',
  path: '/api/console/partitions/resize',
  who: 'admin',
  kind: 'write',
  body: Joi.object({ partitions: partitionCount.strict().required() }),
  doc: {
    id: 'resizePartitions',
    tag: 'Console',
    summary: 'Change the number of partitions',
    description: `Workers change it while commands flow: new commands wait until those before them are carried out. ${CARRIED_OUT} Where \`COMMAND_PARTITIONS\` is set, set it to the new number.`,
    answers: { 200: { description: 'Workers will change it.', schema: partitionsResize } },
    problems: ['RESIZE_UNDER_WAY', 'PARTITIONS_FIXED'],
    example: { partitions: 32 },
  },
  command: ({ body }: Input<IdentityCommands['identity.resize-partitions']>) => ({
    type: 'identity.resize-partitions',
    key: WORKERS_KEY,
    payload: body,
  }),
};

/** @throws Problem WORKER_NOT_FOUND also for a name that no worker can have. */
function workerOf({ params }: Input): string {
  const worker = String(params['worker']);
  if (worker.length > WORKER_LENGTH_MAX)
    throw new Problem('WORKER_NOT_FOUND', 'No worker has such a long name.');
  return worker;
}

interface Telling {
  readonly type: 'identity.drain-worker' | 'identity.resume-worker';
  readonly verb: string;
  readonly doc: Pick<Endpoint['doc'], 'id' | 'summary' | 'description' | 'problems'>;
}

/** Returns the endpoint that tells a worker what to do. */
const telling = ({ type, verb, doc }: Telling): Endpoint => ({
  method: 'post',
  path: `/api/console/workers/:worker/${verb}`,
  who: 'admin',
  kind: 'write',
  doc: {
    ...doc,
    tag: 'Console',
    params: { worker: { type: 'string', minLength: 1 } },
    answers: { 200: { description: 'The worker will do so.', schema: workerChange } },
  },
  command: (input: Input) => ({ type, key: WORKERS_KEY, payload: { worker: workerOf(input) } }),
});

const drain = telling({
  type: 'identity.drain-worker',
  verb: 'drain',
  doc: {
    id: 'drainWorker',
    summary: 'Drain a worker',
    description: `It hands its partitions over within seconds, as it does when it stops. It stays alive, and takes none until it is resumed or restarted. ${CARRIED_OUT}`,
    problems: ['WORKER_NOT_FOUND', 'LAST_SERVING_WORKER'],
  },
});

const resume = telling({
  type: 'identity.resume-worker',
  verb: 'resume',
  doc: {
    id: 'resumeWorker',
    summary: 'Let a drained worker take partitions again',
    description: CARRIED_OUT,
    problems: ['WORKER_NOT_FOUND'],
  },
});

export const workerEndpoints: readonly Endpoint[] = [resize, drain, resume];
