import type { Api } from './api';
import type { Random } from './random';
import type { StockCommand } from './stock';
import type { Surroundings } from './surroundings';

const COMMANDS_MIN = 20;
const COMMANDS_MAX = 50;
/** Most stocks that the commands of one simulation concern. */
const STOCKS_MAX = 4;

type Draft = Pick<StockCommand, 'type' | 'key' | 'payload'>;

/** Plans the commands of a simulation; returns when the last is sent, in milliseconds from now. */
export function sendCommands(api: Api, { scheduler, random }: Surroundings): number {
  const stocks = random.integer(1, STOCKS_MAX);
  const pauseMs = random.pick([0, 5, 50, 200]);
  const poisoned = random.chance(0.3);
  let atMs = 50;
  for (let count = random.integer(COMMANDS_MIN, COMMANDS_MAX); count > 0; count -= 1) {
    atMs += random.chance(0.5) ? 0 : random.between(0, 2 * pauseMs);
    const draft = someCommand(random, stocks, poisoned);
    scheduler.in(atMs, null, () => {
      api.send(draft);
    });
  }
  return atMs;
}

export function someCommand(random: Random, stocks: number, poisoned: boolean): Draft {
  const key = `stock:${random.integer(1, stocks)}`;
  const quantity = random.integer(1, 4);
  if (poisoned && random.chance(0.05))
    return { type: random.pick(['stock.throw', 'stock.overflow', 'stock.kill']), key, payload: {} };
  const type = random.weighted({
    'stock.add': 4,
    'stock.sell': 5,
    'stock.set': 3,
    'stock.add-by-alias': 1,
  });
  switch (type) {
    case 'stock.set':
      return { type, key, payload: { quantity, version: random.integer(0, 6) } };
    case 'stock.add-by-alias':
      return { type, key: `alias:${random.integer(1, 3)}`, payload: { quantity, key } };
    default:
      return { type, key, payload: { quantity } };
  }
}
