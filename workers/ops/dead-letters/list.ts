import { Op, type WhereOptions } from 'sequelize';
import { deadLetterSummary } from '../../../shared/database/dead-letters';
import { DeadLetter } from '../../../shared/database/dead-letter-tables';
import { UsageError, type Arguments, type OpsCommand } from '../command';
import { chooseInstallation, serversOption, withDatabase } from '../installation';
import { table } from '../table';
import { shown } from './selection';

const SIZE_MAX = 1000;
/** Longest reason in the table for people, characters. */
const REASON_SHOWN = 100;

function filter(given: Arguments, services: readonly string[]): WhereOptions {
  const [service, aggregate] = [given.text('service'), given.text('aggregate')];
  if (service !== undefined && !services.includes(service))
    throw new UsageError(`Option --service must be one of ${services.join(', ')}.`);
  return {
    ...(service !== undefined && { partitionName: { [Op.like]: `${service}.%` } }),
    ...(aggregate !== undefined && { aggregateKey: aggregate }),
  };
}

/** Returns a duration in its largest unit: `5 s`, `3 min`, `2 h`, `9 d`. */
function age(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const [unit, length] = units.find(([, size]) => seconds >= size) ?? ['s', 1];
  return `${Math.floor(seconds / length)} ${unit}`;
}

export const listDeadLetters: OpsCommand = {
  summary: 'List dead letters: commands that could not be carried out',
  options: {
    service: { value: 'NAME', help: 'only those of one service, for example lending' },
    aggregate: { value: 'KEY', help: 'only those of one aggregate, for example book-info:42' },
    page: { value: 'N', help: 'page, from 1 (default 1)' },
    size: { value: 'N', help: `dead letters on a page, 1 to ${SIZE_MAX} (default 50)` },
    ...serversOption,
    json: { help: 'print the page as JSON' },
  },
  notes:
    'Oldest first. Those marked with * were only parked behind an earlier dead letter of their aggregate. Those\nmarked with > were released by a replay and wait for a worker.',
  async run(given, { names }) {
    const where = filter(given, names);
    const page = given.integer('page', { min: 1, max: 1_000_000, fallback: 1 });
    const size = given.integer('size', { min: 1, max: SIZE_MAX, fallback: 50 });
    const { rows, count } = await withDatabase(chooseInstallation(given.flag('servers')), () =>
      DeadLetter.findAndCountAll({
        where,
        attributes: { exclude: ['content'] },
        order: ['seq'],
        offset: (page - 1) * size,
        limit: size,
      }),
    );
    const items = rows.map((row) => deadLetterSummary(row, new Date()));
    if (given.flag('json')) {
      process.stdout.write(`${JSON.stringify({ items, page, size, total: count })}\n`);
      return 0;
    }
    const lines = items.map(({ letter, ageSeconds, aggregate, type, reason, parked, state }) => {
      const mark = state === 'released' ? '>' : parked ? '*' : '';
      return [
        `${letter}${mark}`,
        age(ageSeconds),
        aggregate ?? '-',
        type ?? '-',
        reason.slice(0, REASON_SHOWN),
      ].map(shown);
    });
    if (lines.length > 0)
      process.stdout.write(table([['LETTER', 'AGE', 'AGGREGATE', 'COMMAND', 'REASON'], ...lines]));
    process.stdout.write(
      count === 0
        ? 'No dead letters.\n'
        : `${count} dead letters, page ${page} of ${Math.ceil(count / size)}\n`,
    );
    return 0;
  },
};
