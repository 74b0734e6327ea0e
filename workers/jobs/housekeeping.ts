import { Op } from 'sequelize';
import type { Now } from '../../shared/database/clock';
import type { LeaderJob } from './leader-jobs';
import { RETENTION, type Aged, type Retention } from './retention';

/** How often old rows are looked for, milliseconds. */
const INTERVAL_MS = 60_000;
/** Rows removed at a time, so that no lock is held for long. */
const ROWS_AT_A_TIME = 2000;

/**
 * Removes rows that nobody may ask for any more, as `retention.ts` lists them. An event that was
 * not relayed stays.
 */
export const housekeeping = (now: Now, retention: Retention): LeaderJob => ({
  name: 'housekeeping',
  everyMs: INTERVAL_MS,
  async run() {
    let more = false;
    for (const aged of RETENTION.flatMap((rule) => rule.aged ?? [])) {
      const before = new Date(now().getTime() - aged.keptMs(retention));
      const isMore = await removeOld(aged, aged.written?.(before) ?? before);
      more ||= isMore;
    }
    return more;
  },
});

/**
 * Removes old rows. It finds keys by the index on the instant, and deletes the rows by key if they
 * are still old, so that no range is locked. True when there may be more.
 */
async function removeOld(
  { table, key, instant, also = {} }: Aged,
  before: Date | string,
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
