import { Op, type Model, type ModelStatic } from 'sequelize';
import { idTime, OUTCOME_KEPT_MS } from '../../shared/command';
import type { Now } from '../../shared/database/clock';
import { CommandOutcome, CommandWay, IdempotencyKey, Outbox, SuspectCommand } from '../../shared/database/tables';
import type { Duty } from './duties';

/** How often old rows are looked for, milliseconds. */
const INTERVAL_MS = 60_000;
/** Rows removed at a time, so that no lock is held for long. */
const ROWS_AT_A_TIME = 2000;
/** Outcomes outlive the keys and ids that lead to them by this much, milliseconds. */
const MARGIN_MS = 3600 * 1000;
/** How long events stay after they were relayed, milliseconds: a week. */
const EVENTS_KEPT_MS = 7 * 24 * 3600 * 1000;
/** How long marks of suspects stay that nobody took off, milliseconds: a day. */
const SUSPECTS_KEPT_MS = 24 * 3600 * 1000;

/** Removes what nobody may ask for any more: idempotency keys first, then the outcomes they lead to. An event that was not relayed stays. */
export const housekeeping = (now: Now): Duty => ({
  name: 'housekeeping',
  everyMs: INTERVAL_MS,
  async run() {
    const before = (ageMs: number) => new Date(now().getTime() - ageMs);
    const keys = await removeOld(IdempotencyKey, 'scope', 'createdAt', before(OUTCOME_KEPT_MS));
    const outcomes = await removeOld(CommandOutcome, 'commandId', 'completedAt', before(OUTCOME_KEPT_MS + MARGIN_MS));
    const ways = await removeOld(CommandWay, 'commandId', 'commandId', idTime(before(OUTCOME_KEPT_MS + MARGIN_MS).getTime()));
    const events = await removeOld(Outbox, 'seq', 'relayedAt', before(EVENTS_KEPT_MS));
    const suspects = await removeOld(SuspectCommand, 'commandId', 'triedAt', before(SUSPECTS_KEPT_MS));
    return keys || outcomes || ways || events || suspects;
  },
});

/** Finds keys by the index on the instant and deletes by key, so that no range is locked. True when there may be more. */
async function removeOld(table: ModelStatic<Model>, key: string, instant: string, before: Date | string): Promise<boolean> {
  const rows = (await table.findAll({ attributes: [key], where: { [instant]: { [Op.lt]: before } }, order: [instant], limit: ROWS_AT_A_TIME, raw: true })) as unknown as Record<string, string>[];
  if (rows.length > 0) await table.destroy({ where: { [key]: rows.map((row) => row[key]) } });
  return rows.length === ROWS_AT_A_TIME;
}
