import type { Envelope, Refusal } from '../../shared/command';
import type { CachedViews } from '../../workers/batch/service/cached-views';
import { done, type Decision, type WorkerService } from '../../workers/batch/service/decision';
import { EventCounts } from '../../workers/batch/service/event-counts';
import type { NeedsOf } from '../../workers/batch/service/needs';
import { statePlan } from '../../workers/batch/service/state-plan';
import { placeholders } from '../../workers/batch/sql/statements';
import type { Statement } from '../../workers/batch/sql/transaction';
import type { TableShape } from './database/transaction';
import { currentProcess } from './time';

/**
 * A service for the simulation, as small as can be and still show every fault of the pipeline:
 * counted stock, where each row says its place in the chain of changes. No key and no lock guards
 * these rows, so only the pipeline keeps them right.
 */

export interface StockPayloads {
  'stock.add': { readonly quantity: number };
  /** Refused when there is less. */
  'stock.sell': { readonly quantity: number };
  /** Compare and set: refused when the version is another one. */
  'stock.set': { readonly quantity: number; readonly version: number };
  /** Sent to the partition of another key than that of the stock, and forwarded from there. */
  'stock.add-by-alias': { readonly quantity: number; readonly key: string };
  /** Cannot be decided. */
  'stock.throw': Record<string, never>;
  /** Can be decided, and not be stored. */
  'stock.overflow': Record<string, never>;
  /** Ends the process that decides it. */
  'stock.kill': Record<string, never>;
}

type StockType = keyof StockPayloads;
export type StockCommand = { [Type in StockType]: Envelope<Type, StockPayloads[Type]> }[StockType];

export const stockTables: readonly TableShape[] = [
  { name: 'stock', key: 'id', number: null, required: ['quantity', 'version'], defaults: {} },
  { name: 'effect', key: 'seq', number: 'seq', required: ['delta'], defaults: {} },
];

interface Effect {
  readonly stockId: string;
  readonly version: number;
  readonly commandId: string;
  /** Null cannot be stored. */
  readonly delta: number | null;
}

class StockState {
  readonly events = new EventCounts();
  readonly stocks = new Map<string, { readonly quantity: number; readonly version: number }>();
  readonly effects: Effect[] = [];

  of(id: string) {
    return this.stocks.get(id) ?? { quantity: 0, version: 0 };
  }

  evolve(effect: Effect | null): void {
    if (!effect) return;
    this.effects.push(effect);
    this.stocks.set(effect.stockId, {
      quantity: this.of(effect.stockId).quantity + (effect.delta ?? 0),
      version: effect.version,
    });
  }
}

const refused = (code: string): Refusal => ({ code, detail: '' });

function decide(
  state: StockState,
  command: StockCommand,
): { readonly decision: Decision; readonly changes: Effect | null } {
  const { commandId, key } = command;
  const { quantity, version } = state.of(key);
  const refuse = (code: string) => ({
    decision: { kind: 'refused', refusal: refused(code) } as const,
    changes: null,
  });
  const change = (delta: number | null) => {
    const result = { version: version + 1, quantity: quantity + (delta ?? 0) };
    return {
      decision: done(result, [{ type: 'stock.changed', aggregateId: key, data: result }]),
      changes: { stockId: key, version: version + 1, commandId, delta },
    };
  };
  switch (command.type) {
    case 'stock.add':
      return change(command.payload.quantity);
    case 'stock.sell':
      return command.payload.quantity > quantity
        ? refuse('SOLD_OUT')
        : change(-command.payload.quantity);
    case 'stock.set':
      return command.payload.version === version
        ? change(command.payload.quantity - quantity)
        : refuse('CHANGED_MEANWHILE');
    case 'stock.add-by-alias':
      return command.payload.key === key
        ? change(command.payload.quantity)
        : { decision: { kind: 'forward', key: command.payload.key }, changes: null };
    case 'stock.throw':
      throw new Error('this command cannot be decided');
    case 'stock.overflow':
      return change(null);
    case 'stock.kill':
      currentProcess().end();
      throw new Error('the process has ended; nothing of it is seen any more');
  }
}

function writes(state: StockState, onMysql: boolean): Statement[] {
  if (state.effects.length === 0) return [];
  const changed = [...new Set(state.effects.map(({ stockId }) => stockId))];
  return [
    {
      sql: `INSERT INTO effect (stock_id, version, command_id, delta) VALUES ${state.effects.map(() => '(?, ?, ?, ?)').join(', ')}`,
      values: state.effects.flatMap(({ stockId, version, commandId, delta }) => [
        stockId,
        version,
        commandId,
        delta,
      ]),
    },
    ...changed.map((id) => {
      const { quantity, version } = state.of(id);
      const known = onMysql ? 'ON DUPLICATE KEY' : 'ON CONFLICT (id) DO';
      return {
        sql: `INSERT INTO stock (id, quantity, version) VALUES (?, ?, ?) ${known} UPDATE ${onMysql ? '' : 'SET '}quantity = ?, version = ?`,
        values: [id, quantity, version, quantity, version],
      };
    }),
  ];
}

const need = { ids: {}, reads: () => undefined };
const stockNeeds: NeedsOf<StockCommand, undefined> = {
  'stock.add': need,
  'stock.sell': need,
  'stock.set': need,
  'stock.add-by-alias': need,
  'stock.throw': need,
  'stock.overflow': need,
  'stock.kill': need,
};

const itself = ({ key }: StockCommand) => [key];
const stockViews: CachedViews<StockState, StockCommand> = {
  changed: ({ effects }) => effects.map(({ stockId }) => stockId),
  of: {
    'stock.add': itself,
    'stock.sell': itself,
    'stock.set': itself,
    'stock.add-by-alias': itself,
    'stock.throw': itself,
    'stock.overflow': itself,
    'stock.kill': itself,
  },
};

export function stockService(onMysql: boolean): WorkerService {
  return {
    needs: stockNeeds,
    plan(commands) {
      const keys = [...new Set(commands.map(({ key }) => key))];
      return statePlan<StockState, StockCommand, Effect | null, never>({
        reads: [
          {
            statement: {
              sql: `SELECT id, quantity, version FROM stock WHERE id IN (${placeholders(keys.length)})`,
              values: keys,
            },
            apply: (rows, state) => {
              for (const { id, quantity, version } of rows) {
                state.stocks.set(id as string, {
                  quantity: quantity as number,
                  version: version as number,
                });
                // Each change of a stock is an event.
                state.events.load(id as string, version as number);
              }
            },
          },
        ],
        newState: () => new StockState(),
        decide,
        events: ({ events }) => events,
        writes: (state) => writes(state, onMysql),
        views: stockViews,
      });
    },
  };
}
