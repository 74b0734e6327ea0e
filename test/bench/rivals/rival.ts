/** What a rival must be able to do; the rest of its program is the same for all. */

export interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Who borrows. */
export interface Reader {
  readonly userId: number;
  readonly username: string | null;
}

export interface Rival {
  /** `key` is what the client sent as its Idempotency-Key; not every rival makes use of it. */
  borrow(reader: Reader, bookInfoId: number, key: string | undefined): Promise<Answer>;
  giveBack(reader: Reader, bookInfoId: number): Promise<Answer>;
  /** Puts a borrow into the queue, of those that have one, and does not wait for its end. */
  put?(reader: Reader, bookInfoId: number): Promise<void>;
  read(bookInfoId: number): Promise<Answer>;
}

/** The rivals by kind, with what the tables call them. */
export const RIVAL_NAMES = {
  lock: 'direct, FOR UPDATE',
  conditional: 'direct, conditional UPDATE',
  procedure: 'stored procedure',
  equal: 'stored procedure, equal promises',
  stockFirst: 'stored procedure, stock first',
  stockFirstEqual: 'stored procedure, stock first, equal promises',
  packet: 'statements as one packet',
  packetEqual: 'statements as one packet, equal promises',
  packetStockFirst: 'statements as one packet, stock first',
  packetStockFirstEqual: 'statements as one packet, stock first, equal promises',
  postgres: 'PostgreSQL function',
  postgresEqual: 'PostgreSQL function, equal promises',
  bullmq: 'BullMQ',
  groupmq: 'GroupMQ',
  pgboss: 'pg-boss',
  restate: 'Restate',
  dbos: 'DBOS',
} as const;

export type RivalKind = keyof typeof RIVAL_NAMES;

export const RIVAL_KINDS = Object.keys(RIVAL_NAMES) as RivalKind[];

/** Those of `all` that are in a list with commas, or all without one. */
export function kindsOf<Kind extends string>(
  list: string | undefined,
  all: readonly Kind[],
): readonly Kind[] {
  const wanted = list?.split(',');
  const unknown = wanted?.find((kind) => !all.some((one) => one === kind));
  if (unknown !== undefined)
    throw new Error(`--rivals must be some of ${all.join(', ')}, got ${unknown}.`);
  return all.filter((kind) => wanted?.includes(kind) ?? true);
}

/** Those whose borrows a worker carries out, in a process of its own. */
export const QUEUE_RIVALS = ['bullmq', 'groupmq', 'pgboss', 'restate', 'dbos'] as const;
export type QueueRival = (typeof QUEUE_RIVALS)[number];

/** Those with our promises: an outcome under an idempotency key, and an event. */
export const EQUAL_RIVALS: readonly RivalKind[] = [
  'equal',
  'stockFirstEqual',
  'packetEqual',
  'packetStockFirstEqual',
  'postgresEqual',
];
