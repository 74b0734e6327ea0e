import type { Duty } from '../../workers/duties/duties';

/** The duty that commands depend on; what else workers do besides is not simulated. */
const SIMULATED = 'outgoing-commands';

/** Pause between two runs, milliseconds. A worker's own forwards do not wait for it. */
const EVERY_MS = 2000;

/**
 * In place of the leases of duties: every worker performs the duty, which the duty has to bear
 * anyway.
 */
export class SimulatedDuties {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: { readonly duties: readonly Duty[] }) {}

  start(): Promise<void> {
    const duty = this.options.duties.find(({ name }) => name === SIMULATED);
    if (!duty) throw new Error(`there is no duty ${SIMULATED}`);
    this.timer = setInterval(() => {
      this.running = duty.run().catch(() => undefined);
    }, EVERY_MS);
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }
}
