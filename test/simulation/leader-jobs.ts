import type { LeaderJob } from '../../workers/jobs/leader-jobs';

/** The job that commands depend on; what else workers do besides is not simulated. */
const SIMULATED = 'outgoing-commands';

/** Pause between two runs, milliseconds. A worker's own forwards do not wait for it. */
const EVERY_MS = 2000;

/**
 * In place of the leases of jobs: every worker performs the job, which the job has to bear
 * anyway.
 */
export class SimulatedJobs {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: { readonly jobs: readonly LeaderJob[] }) {}

  start(): Promise<void> {
    const job = this.options.jobs.find(({ name }) => name === SIMULATED);
    if (!job) throw new Error(`there is no leader job ${SIMULATED}`);
    this.timer = setInterval(() => {
      this.running = job.run().catch(() => undefined);
    }, EVERY_MS);
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }
}
