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
  postgres: 'PostgreSQL function',
  postgresEqual: 'PostgreSQL function, equal promises',
  bullmq: 'BullMQ',
  groupmq: 'GroupMQ',
} as const;

export type RivalKind = keyof typeof RIVAL_NAMES;

/** Those with our promises: an outcome under an idempotency key, and an event. */
export const EQUAL_RIVALS: readonly RivalKind[] = ['equal', 'stockFirstEqual', 'postgresEqual'];
