import { object, serve, type ObjectContext } from '@restatedev/restate-sdk';
import { Pool } from 'undici';
import { newJob, type Job } from './jobs';
import type { Answer, Rival } from './rival';

/**
 * Borrows by a virtual object for each title, which Restate lets do one thing after the other. Its
 * handler keeps the answer of the stored procedure in the journal, and the procedure knows the
 * job's key, so a handler that is run again has no second effect. The caller waits for Restate's
 * answer.
 */

const OBJECT = 'title';
const CONNECTIONS = 128;

/** What the SDK calls of Promise, and Node.js 20 does not have. */
function withResolvers(): object {
  let settle = {};
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers });

/** The rival of the API's process. `url`: of Restate's ingress. */
export function restateRival(url: string, read: Rival['read']): Rival {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const post = async (job: Job, how: string): Promise<unknown> => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: `/${OBJECT}/${job.bookInfoId}/carryOut${how}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(job),
    });
    const told: unknown = await body.json();
    if (statusCode >= 300) throw new Error(`Restate answered ${statusCode}`);
    return told;
  };
  return {
    borrow: async (reader, bookInfoId) =>
      (await post(newJob(reader, bookInfoId, false), '')) as Answer,
    giveBack: async (reader, bookInfoId) =>
      (await post(newJob(reader, bookInfoId, true), '')) as Answer,
    put: async (reader, bookInfoId) => {
      await post(newJob(reader, bookInfoId, false), '/send');
    },
    read,
  };
}

/** Serves the handler, each call of it by way of `direct`, until the process ends. */
export async function workOnRestate(port: number, direct: Rival): Promise<void> {
  const title = object({
    name: OBJECT,
    handlers: {
      carryOut: (context: ObjectContext, { id, reader, bookInfoId, isReturn }: Job) =>
        context.run('borrow', () =>
          isReturn ? direct.giveBack(reader, bookInfoId) : direct.borrow(reader, bookInfoId, id),
        ),
    },
  });
  await serve({ services: [title], port });
}
