import { COMMAND_FAILED } from '../../shared/command';
import { endingOf } from '../../shared/database/ending';
import { eventsIn } from '../support/servers/outbox';
import type { Api, Sent } from './api';
import type { Storage } from './database/storage';
import type { Judge } from './judge';
import type { StockCommand } from './stock';

const POISON: ReadonlySet<string> = new Set<StockCommand['type']>([
  'stock.throw',
  'stock.overflow',
  'stock.kill',
]);

/** What must hold at the end, when all faults are over and nothing is under way. */
export function finalCheck(
  api: Api,
  storage: Storage,
  judge: Judge,
  fail: (reason: string) => void,
): void {
  const effects = countBy(storage.rows('effect'), 'command_id');
  const told = eventsIn(storage.rows('outbox'));
  const events = countBy(told, 'commandId');
  const endings = new Map(
    storage.rows('command_outcome').map(({ command_id: id, ending }) => [id, ending as string]),
  );
  const quarantines = quarantinesOf(api, judge);
  for (const sent of api.sent.values()) {
    const { commandId, type } = sent.command;
    const key = stockOf(sent.command);
    const place = judge.placeOf({ commandId, key });
    const mustBeGivenUp = place !== null && place >= (quarantines.get(key) ?? Infinity);
    const problem = problemOf(sent, {
      text: endings.get(commandId),
      effects: effects.get(commandId) ?? 0,
      events: events.get(commandId) ?? 0,
      mustBeGivenUp,
    });
    if (problem) fail(`${type} ${commandId}, stored ${sent.stored} times: ${problem}`);
  }
  const numbers = new Map<string, number>();
  for (const { aggregateId, sequence } of told) {
    const due = (numbers.get(aggregateId) ?? 0) + 1;
    if (sequence !== due) fail(`${aggregateId} told event ${sequence} where ${due} was due`);
    numbers.set(aggregateId, sequence);
  }
  for (const { id, quantity, version } of storage.rows('stock')) {
    const changes = storage.rows('effect').filter((effect) => effect.stock_id === id);
    const sum = changes.reduce((total, { delta }) => total + (delta as number), 0);
    if (quantity !== sum || version !== changes.length || sum < 0)
      fail(
        `${id as string} has ${quantity as number} at version ${version as number}; its ${changes.length} effects make ${sum}`,
      );
  }
}

interface Found {
  /** The stored ending. */
  readonly text: string | undefined;
  readonly effects: number;
  readonly events: number;
  readonly mustBeGivenUp: boolean;
}

function problemOf(
  { stored, answers }: Sent,
  { text, effects, events, mustBeGivenUp }: Found,
): string | null {
  if (text === undefined)
    return stored > 0 ? 'it never ended' : effects > 0 ? 'it had an effect' : null;
  const ending = endingOf(text);
  const wanted = ending.status === 'succeeded' ? 1 : 0;
  if (effects !== wanted || events !== wanted)
    return `it ${ending.status} with ${effects} effects and ${events} events`;
  if (answers.some((answer) => JSON.stringify(answer.ending) !== JSON.stringify(ending)))
    return `it was answered ${JSON.stringify(answers)}, and its outcome is ${text}`;
  const givenUp = ending.status === 'failed' && ending.refusal.code === COMMAND_FAILED;
  return givenUp === mustBeGivenUp ? null : `it was ${givenUp ? '' : 'not '}given up`;
}

/** The key under which it is decided. */
const stockOf = (command: StockCommand): string =>
  command.type === 'stock.add-by-alias' ? command.payload.key : command.key;

/**
 * For each key, the place in its queue from which on nothing may be carried out: that of the first
 * poison.
 */
function quarantinesOf(api: Api, judge: Judge): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { command } of api.sent.values()) {
    const place = judge.placeOf(command);
    if (POISON.has(command.type) && place !== null)
      first.set(command.key, Math.min(place, first.get(command.key) ?? Infinity));
  }
  return first;
}

function countBy<Item extends object>(
  rows: readonly Item[],
  column: string & keyof Item,
): ReadonlyMap<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const row of rows) counts.set(row[column], (counts.get(row[column]) ?? 0) + 1);
  return counts;
}
