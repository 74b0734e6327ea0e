import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { Pool } from 'pg';
import { jobRival, type Job } from './jobs';
import { listening, statementOf } from './postgres-jobs';
import type { Rival } from './rival';

/**
 * Borrows by a workflow on PostgreSQL, in a queue with a partition for each title that runs one
 * workflow at a time. Its step borrows by the PostgreSQL function under the workflow's id, which
 * keeps a step that is run again from having effect twice. The step's transaction tells the caller.
 */

const APPLICATION = 'rival';
/** Workflows of a process that ended go on in the next process of this name and version. */
const EXECUTOR = 'worker';
const VERSION = '1';
const QUEUE = 'borrows';
const WORKFLOW = 'borrow';
const CONCURRENCY = 16;
/** How often a worker looks for workflows, milliseconds; it cannot be told of them. */
const POLL_MS = 5;

const silent = () => undefined;
const logger = {
  info: silent,
  debug: silent,
  warn: silent,
  error: (text: unknown) => process.stderr.write(`DBOS: ${String(text)}\n`),
};

/** The rival of the API's process. */
export function dbosRival(url: string, connections: number, read: Rival['read']): Rival {
  const creating = DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePoolSize: connections,
    applicationName: APPLICATION,
    logger,
  });
  return jobRival({
    put: async (job) =>
      (await creating).enqueue<(job: Job) => Promise<void>>(
        {
          queueName: QUEUE,
          workflowName: WORKFLOW,
          workflowID: job.id,
          queuePartitionKey: String(job.bookInfoId),
          appVersion: VERSION,
        },
        job,
      ),
    waiting: listening(url),
    read,
  });
}

/** Carries workflows out until the process ends. */
export async function workOnDbos(url: string, hasKeys: boolean): Promise<void> {
  const pool = new Pool({ connectionString: url, max: CONCURRENCY });
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    systemDatabasePoolSize: CONCURRENCY,
    executorID: EXECUTOR,
    applicationVersion: VERSION,
    logger,
  });
  DBOS.registerWorkflow(
    async (job: Job) => {
      await DBOS.runStep(
        async () => {
          await pool.query(statementOf(job, hasKeys ? job.id : null));
        },
        { name: WORKFLOW },
      );
    },
    { name: WORKFLOW },
  );
  await DBOS.launch();
  await DBOS.registerQueue(QUEUE, { partitionConcurrency: 1, minPollingIntervalMs: POLL_MS });
}
