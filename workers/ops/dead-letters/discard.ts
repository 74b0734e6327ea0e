import type { Sequelize } from 'sequelize-typescript';
import { deleteDeadLetters } from '../../../shared/database/dead-letters';
import { DeadLetter } from '../../../shared/database/dead-letter-tables';
import type { OpsCommand } from '../command';
import { chooseInstallation, serversOption, withDatabase } from '../installation';
import { auditedAs } from './audit';
import { LETTER, meant, selected, selectionOptions, shown, type Selection } from './selection';

/** Letters that are removed at a time. */
const PAGE_LENGTH = 500;

interface Discarded {
  readonly discarded: number;
  /** Letters that were meant and are being replayed. */
  readonly released: number;
  /** Aggregates whose quarantine is over. */
  readonly lifted: readonly string[];
  /** Aggregates that have dead letters still. */
  readonly quarantined: readonly string[];
}

/**
 * Page by page, so that no lock is held for long. What is released may be under way in a worker,
 * and stays.
 */
async function discard(database: Sequelize, { where }: Selection): Promise<Discarded> {
  const keys = new Set<string>();
  let discarded = 0;
  for (let found = PAGE_LENGTH; found === PAGE_LENGTH;) {
    const page = await DeadLetter.findAll({
      where: { ...where, released: false },
      attributes: ['seq', 'aggregateKey'],
      order: ['seq'],
      limit: PAGE_LENGTH,
    });
    found = page.length;
    discarded += await deleteDeadLetters(
      database,
      page.map(({ seq }) => seq),
      auditedAs('ops.dead-letters.discard'),
    );
    for (const { aggregateKey } of page) if (aggregateKey !== null) keys.add(aggregateKey);
  }
  const left = new Set<string>();
  for (const key of keys)
    if ((await DeadLetter.count({ where: { aggregateKey: key } })) > 0) left.add(key);
  const released = await DeadLetter.count({ where: { ...where, released: true } });
  return {
    discarded,
    released,
    lifted: [...keys].filter((key) => !left.has(key)),
    quarantined: [...left],
  };
}

export const discardDeadLetters: OpsCommand = {
  summary: 'Remove dead letters permanently; their commands stay failed',
  operands: [LETTER],
  options: { ...selectionOptions, ...serversOption, json: { help: 'print what was done as JSON' } },
  notes:
    'The quarantine of an aggregate ends with its last dead letter. One that is being replayed is not removed (exit 1).',
  async run(given) {
    const asked = meant(given);
    const done = await withDatabase(chooseInstallation(given.flag('servers')), async (database) =>
      discard(database, await selected(asked)),
    );
    const { discarded, released, lifted, quarantined } = done;
    const lines = [
      `discarded ${discarded}`,
      ...(released > 0 ? [`not discarded, because they are being replayed: ${released}`] : []),
      ...lifted.map((key) => `${shown(key)}: out of quarantine`),
      ...quarantined.map((key) => `${shown(key)}: still has dead letters`),
    ];
    process.stdout.write(
      given.flag('json') ? `${JSON.stringify(done)}\n` : `${lines.join('\n')}\n`,
    );
    return released > 0 ? 1 : 0;
  },
};
