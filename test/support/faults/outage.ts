import { audit, disagreements, prepareStorm, type PreparedStorm } from '../check/storm-check';
import type { System } from '../service/processes';
import { waitUntil } from '../wait';

/** What tests of servers that are unavailable for a while do. */

/**
 * Whether faults last as long as they do in the worst of days, and not only as long as it takes to
 * see what they do.
 */
export const LONG = process.env.FAULTS_LONG === '1';
/**
 * How long a server stays away, milliseconds: two minutes, else as long as every limit of a
 * connection lasts.
 */
export const AWAY_MS = LONG ? 120_000 : 15_000;
/** How soon calls must be answered again, on the busiest of machines, milliseconds. */
const RECOVERY_MS = 120_000;
/** How long a call of a client may take, milliseconds. */
const CALL_MS = AWAY_MS + 300_000;
/** Time for such a test, milliseconds. */
export const OUTAGE_TEST_MS = 3 * AWAY_MS + 700_000;
const CALLS_MORE = 150;

/** Runs a storm of clients while servers stop and start. */
export class Outage {
  private constructor(
    private readonly system: System,
    private readonly prepared: PreparedStorm,
  ) {}

  static async begin(system: System): Promise<Outage> {
    const url = system.apis[0]?.url ?? '';
    const prepared = await prepareStorm(
      url,
      system.env.JWT_SECRET ?? '',
      () => system.apis.map((api) => api.url),
      { callMs: CALL_MS },
    );
    prepared.storm.start();
    const outage = new Outage(system, prepared);
    await outage.moreCalls('at the beginning');
    return outage;
  }

  /** Calls that have their final answer. */
  get answered(): number {
    return this.prepared.storm.answered;
  }

  async moreCalls(when: string): Promise<void> {
    const { storm } = this.prepared;
    const until = storm.answered + CALLS_MORE;
    await waitUntil(`${CALLS_MORE} calls ${when}`, RECOVERY_MS, () => storm.answered >= until);
  }

  /**
   * Ends the storm: no process has ended, nobody was told anything wrong, and no command was put
   * aside.
   */
  async expectNoHarm(): Promise<void> {
    await this.prepared.storm.stop();
    for (const { child } of [...this.system.apis, ...this.system.workers])
      expect([child.name, child.running]).toEqual([child.name, true]);
    expect(await disagreements(this.prepared, this.system.apis[0]?.url ?? '')).toEqual([]);
    await audit(this.system.env, this.prepared);
  }
}
