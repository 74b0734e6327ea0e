import { literal, Op, type Model, type ModelStatic, type WhereOptions } from 'sequelize';
import { Audit } from '../../shared/audit/tables';
import { idTime, KEY_KEPT_MS, OUTCOME_KEPT_MS } from '../../shared/command';
import type { Now } from '../../shared/database/clock';
import {
  CommandOutcome,
  CommandWay,
  IdempotencyKey,
  Outbox,
  SuspectCommand,
} from '../../shared/database/tables';
import { EndedToken } from '../../shared/identity/tables';
import type { Duty } from './duties';

/** How often old rows are looked for, milliseconds. */
const INTERVAL_MS = 60_000;
/** Rows removed at a time, so that no lock is held for long. */
const ROWS_AT_A_TIME = 2000;
/** Outcomes outlive the keys and ids that lead to them by this much, milliseconds. */
const MARGIN_MS = 3600 * 1000;
/** How long marks of suspects stay that nobody took off, milliseconds: a day. */
const SUSPECTS_KEPT_MS = 24 * 3600 * 1000;
const DAY_MS = 24 * 3600 * 1000;

export interface Retention {
  /** How long events can be read again after they were published, days. */
  readonly eventDays: number;
  /** How long the audit is kept, days. */
  readonly auditDays: number;
  /** How long closed borrows tell whose they were, days; 0 for ever. */
  readonly historyDays: number;
}

/**
 * Removes what nobody may ask for any more: idempotency keys first, then the outcomes they lead to.
 * An event that was not relayed stays.
 */
export const housekeeping = (
  now: Now,
  { auditDays, eventDays }: Pick<Retention, 'auditDays' | 'eventDays'>,
): Duty => ({
  name: 'housekeeping',
  everyMs: INTERVAL_MS,
  async run() {
    const before = (ageMs: number) => new Date(now().getTime() - ageMs);
    const keys = await removeOld(IdempotencyKey, 'scope', 'createdAt', before(KEY_KEPT_MS));
    const outcomes = await removeOld(
      CommandOutcome,
      'commandId',
      'completedAt',
      before(OUTCOME_KEPT_MS + MARGIN_MS),
      NO_KEY,
    );
    const ways = await removeOld(
      CommandWay,
      'commandId',
      'commandId',
      idTime(before(OUTCOME_KEPT_MS + MARGIN_MS).getTime()),
    );
    const events = await removeOld(Outbox, 'seq', 'relayedAt', before(eventDays * DAY_MS));
    const suspects = await removeOld(
      SuspectCommand,
      'commandId',
      'triedAt',
      before(SUSPECTS_KEPT_MS),
    );
    const tokens = await removeOld(EndedToken, 'id', 'expiresAt', before(MARGIN_MS));
    const audit = await removeOld(Audit, 'id', 'at', before(auditDays * DAY_MS));
    return audit || tokens || keys || outcomes || ways || events || suspects;
  },
});

/**
 * An outcome to which an idempotency key leads stays for as long as the key: whoever uses that
 * renews it. No key ever begins to lead to an older one.
 */
const NO_KEY = literal(
  'NOT EXISTS (SELECT 1 FROM idempotency_key k WHERE k.command_id = `CommandOutcome`.command_id)',
) as unknown as WhereOptions;

/**
 * Finds keys by the index on the instant and deletes by key, so that no range is locked, what is
 * old still. True when there may be more.
 */
async function removeOld(
  table: ModelStatic<Model>,
  key: string,
  instant: string,
  before: Date | string,
  also: WhereOptions = {},
): Promise<boolean> {
  const old = { [instant]: { [Op.lt]: before } };
  const rows = (await table.findAll({
    attributes: [key],
    where: { [Op.and]: [old, also] },
    order: [instant],
    limit: ROWS_AT_A_TIME,
    raw: true,
  })) as unknown as Record<string, string>[];
  if (rows.length > 0)
    await table.destroy({ where: { [key]: rows.map((row) => row[key]), ...old } });
  return rows.length === ROWS_AT_A_TIME;
}
