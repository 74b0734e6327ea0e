import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import Redis from 'ioredis';
import type { Answer, Reader, Rival } from './rival';

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
/** How long a caller waits, milliseconds. */
const WAIT_MS = 30_000;
/** Where answers go. */
const ANSWERS = 'rival-answers';

export type QueueKind = 'bullmq' | 'groupmq';

interface Job {
  readonly id: string;
  readonly reader: Reader;
  readonly bookInfoId: number;
  readonly isReturn: boolean;
}

const connect = (url: string): Redis => new Redis(url, { maxRetriesPerRequest: null });

const lane = (number: number): string => `borrows-${number}`;

/** Puts a job into its title's queue. */
async function adder(kind: QueueKind, url: string): Promise<(job: Job) => Promise<unknown>> {
  if (kind === 'groupmq') {
    const groupmq = await import('groupmq');
    const queue = new groupmq.Queue<Job>({ redis: connect(url), namespace: NAMESPACE });
    return (job) => queue.add({ groupId: String(job.bookInfoId), data: job, jobId: job.id });
  }
  const connection = connect(url);
  const lanes = Array.from({ length: LANES }, (_, index) => new Queue(lane(index), { connection }));
  const options = { removeOnComplete: true, removeOnFail: true };
  return (job) =>
    (lanes[job.bookInfoId % LANES] as Queue).add('borrow', job, { ...options, jobId: job.id });
}

/** The rival of the API's process. `read` is not by way of the queue. */
export function queueRival(kind: QueueKind, url: string, read: Rival['read']): Rival {
  const adding = adder(kind, url);
  const waiting = new Map<string, (answer: Answer) => void>();
  const answers = connect(url);
  void answers.subscribe(ANSWERS);
  answers.on('message', (_channel, text) => {
    const { id, answer } = JSON.parse(text) as { id: string; answer: Answer };
    waiting.get(id)?.(answer);
  });
  const carryOut = async (job: Job): Promise<Answer> => {
    const answer = new Promise<Answer>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(job.id);
        reject(new Error(`job ${job.id} was not answered`));
      }, WAIT_MS);
      waiting.set(job.id, (found) => {
        clearTimeout(timer);
        waiting.delete(job.id);
        resolve(found);
      });
    });
    await (
      await adding
    )(job);
    return answer;
  };
  return {
    borrow: (reader, bookInfoId) =>
      carryOut({ id: randomUUID(), reader, bookInfoId, isReturn: false }),
    giveBack: (reader, bookInfoId) =>
      carryOut({ id: randomUUID(), reader, bookInfoId, isReturn: true }),
    read,
  };
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
  if (kind === 'groupmq') {
    const groupmq = await import('groupmq');
    const queue = new groupmq.Queue<Job>({ redis: connect(url), namespace: NAMESPACE });
    void new groupmq.Worker<Job>({ queue, concurrency: CONCURRENCY, handler: handle }).run();
    return;
  }
  const options = { connection: connect(url), concurrency: 1 };
  const workers = Array.from(
    { length: LANES },
    (_, index) => new Worker<Job>(lane(index), handle, options),
  );
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
}
