import { Op, type Model, type ModelStatic } from 'sequelize';
import { OUTCOME_KEPT_MS } from '../shared/command';
import { CommandOutcome, IdempotencyKey, Outbox } from '../shared/database/tables';
import type { Logger } from '../shared/logger';

/** How often old rows are looked for, milliseconds. */
const INTERVAL_MS = 60_000;
/** Rows removed at a time, so that no lock is held for long. */
const ROWS_AT_A_TIME = 2000;
/** Outcomes outlive the keys and ids that lead to them by this much, milliseconds. */
const MARGIN_MS = 3600 * 1000;
/** How long events stay, milliseconds: a week. */
const EVENTS_KEPT_MS = 7 * 24 * 3600 * 1000;

/** Removes what nobody may ask for any more: idempotency keys first, then the outcomes they lead to. Any number of workers may do it. */
export class Housekeeping {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly logger: Logger) {}

  start(): void {
    this.timer = setInterval(() => {
      this.running = this.clean(new Date()).catch((error: unknown) => {
        this.logger.warn({ err: error }, 'old rows not removed');
      });
    }, INTERVAL_MS);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }

  private async clean(now: Date): Promise<void> {
    const before = (ageMs: number) => new Date(now.getTime() - ageMs);
    await removeOld(IdempotencyKey, 'scope', 'createdAt', before(OUTCOME_KEPT_MS));
    await removeOld(CommandOutcome, 'commandId', 'completedAt', before(OUTCOME_KEPT_MS + MARGIN_MS));
    await removeOld(Outbox, 'eventId', 'occurredAt', before(EVENTS_KEPT_MS));
  }
}

/** Finds keys by the index on the instant and deletes by key, so that no range is locked. */
async function removeOld(table: ModelStatic<Model>, key: string, instant: string, before: Date): Promise<void> {
  for (let found = ROWS_AT_A_TIME; found === ROWS_AT_A_TIME; ) {
    const rows = (await table.findAll({ attributes: [key], where: { [instant]: { [Op.lt]: before } }, order: [instant], limit: ROWS_AT_A_TIME, raw: true })) as unknown as Record<string, string>[];
    found = rows.length;
    await table.destroy({ where: { [key]: rows.map((row) => row[key]) } });
  }
}
