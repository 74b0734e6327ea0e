import { Queue, Worker } from 'bullmq';
import Redis from 'ioredis';
import { jobRival, Waiting, type Job } from './jobs';
import type { Answer, Rival } from './rival';

/**
 * Borrows by a job in Redis, one after the other for each title, while the caller waits. A worker
 * in a process of its own carries each out by a stored procedure, under the job's key. The answer
 * comes back by publish and subscribe.
 *
 * - BullMQ has no groups without a licence: titles share lanes, each a queue with one job at a time
 * - GroupMQ: a group for each title
 */

const LANES = 16;
const CONCURRENCY = 16;
const NAMESPACE = 'borrows';
/** Where answers go. */
const ANSWERS = 'rival-answers';
/** A job of a worker that is silent for so long goes to another one, milliseconds. */
const LOST_MS = 10_000;
const LOST_CHECK_MS = 5_000;
/** So often, and then it fails. */
const LOST_MAX = 10;

export type QueueKind = 'bullmq' | 'groupmq';

const connect = (url: string): Redis => new Redis(url, { maxRetriesPerRequest: null });

const lane = (number: number): string => `borrows-${number}`;

/** Puts a job into its title's queue. */
async function adder(kind: QueueKind, url: string): Promise<(job: Job) => Promise<unknown>> {
  if (kind === 'groupmq') {
    const queue = await groupQueue(url);
    return (job) => queue.add({ groupId: String(job.bookInfoId), data: job, jobId: job.id });
  }
  const connection = connect(url);
  const lanes = Array.from({ length: LANES }, (_, index) => new Queue(lane(index), { connection }));
  const options = { removeOnComplete: true, removeOnFail: true };
  return (job) =>
    (lanes[job.bookInfoId % LANES] as Queue).add('borrow', job, { ...options, jobId: job.id });
}

async function groupQueue(url: string) {
  const groupmq = await import('groupmq');
  const options = { redis: connect(url), namespace: NAMESPACE, jobTimeoutMs: LOST_MS };
  return new groupmq.Queue<Job>(options);
}

/** The rival of the API's process. */
export function queueRival(kind: QueueKind, url: string, read: Rival['read']): Rival {
  const adding = adder(kind, url);
  const waiting = new Waiting();
  const answers = connect(url);
  void answers.subscribe(ANSWERS);
  answers.on('message', (_channel, text) => {
    const { id, answer } = JSON.parse(text) as { id: string; answer: Answer };
    waiting.tell(id, answer);
  });
  return jobRival({ put: async (job) => (await adding)(job), waiting, read });
}

/** Carries jobs out, each by way of `direct`, until the process ends. */
export async function workOnQueue(kind: QueueKind, url: string, direct: Rival): Promise<void> {
  const publisher = connect(url);
  const handle = async ({ data }: { readonly data: Job }): Promise<void> => {
    const { id, reader, bookInfoId, isReturn } = data;
    const answer = await (isReturn
      ? direct.giveBack(reader, bookInfoId)
      : direct.borrow(reader, bookInfoId, id));
    await publisher.publish(ANSWERS, JSON.stringify({ id, answer }));
  };
  const lost = { stalledInterval: LOST_CHECK_MS, maxStalledCount: LOST_MAX };
  if (kind === 'groupmq') {
    const groupmq = await import('groupmq');
    const queue = await groupQueue(url);
    const options = { queue, concurrency: CONCURRENCY, handler: handle, ...lost };
    void new groupmq.Worker<Job>(options).run();
    return;
  }
  const options = { connection: connect(url), concurrency: 1, lockDuration: LOST_MS, ...lost };
  const workers = Array.from(
    { length: LANES },
    (_, index) => new Worker<Job>(lane(index), handle, options),
  );
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
}
