import { randomUUID } from 'node:crypto';
import type { Answer, Reader, Rival } from './rival';

/** Jobs in a queue, and the callers that wait for their ends. */

/** How long a caller waits, milliseconds. */
const WAIT_MS = 30_000;

export interface Job {
  readonly id: string;
  readonly reader: Reader;
  readonly bookInfoId: number;
  readonly isReturn: boolean;
}

export const newJob = (reader: Reader, bookInfoId: number, isReturn: boolean): Job => ({
  id: randomUUID(),
  reader,
  bookInfoId,
  isReturn,
});

/** Callers that wait, by the ids of their jobs. */
export class Waiting {
  private readonly callers = new Map<string, (answer: Answer) => void>();

  /** Puts a job into its queue, and waits for its answer. */
  async after(job: Job, put: (job: Job) => Promise<unknown>): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.callers.delete(job.id);
        reject(new Error(`job ${job.id} was not answered`));
      }, WAIT_MS);
      this.callers.set(job.id, (found) => {
        clearTimeout(timer);
        this.callers.delete(job.id);
        resolve(found);
      });
    });
    await put(job);
    return answer;
  }

  tell(id: string, answer: Answer): void {
    this.callers.get(id)?.(answer);
  }
}

export interface JobRivalOptions {
  /** Resolves when the queue has the job. */
  readonly put: (job: Job) => Promise<unknown>;
  /** Is told the answers. */
  readonly waiting: Waiting;
  /** Is not by way of the queue. */
  readonly read: Rival['read'];
}

/** The rival of an API whose borrows are jobs. */
export function jobRival({ put, waiting, read }: JobRivalOptions): Rival {
  return {
    borrow: (reader, bookInfoId) => waiting.after(newJob(reader, bookInfoId, false), put),
    giveBack: (reader, bookInfoId) => waiting.after(newJob(reader, bookInfoId, true), put),
    put: async (reader, bookInfoId) => {
      await put(newJob(reader, bookInfoId, false));
    },
    read,
  };
}
