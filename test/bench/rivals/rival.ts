import type { Actor } from '../../../shared/command';

/** What a rival must be able to do; the rest of its program is the same for all. */

export interface Answer {
  readonly status: number;
  readonly body: object;
}

export interface Rival {
  /** `key` is what the client sent as its Idempotency-Key; not every rival makes use of it. */
  borrow(actor: Actor, bookInfoId: number, key: string | undefined): Promise<Answer>;
  giveBack(actor: Actor, bookInfoId: number): Promise<Answer>;
}

/**
 * - `lock`, `conditional`: by way of the ORM, see orm.ts
 * - `procedure`, `equal`: by a stored procedure, see procedure.ts; `equal` with our promises
 */
export const RIVALS = ['lock', 'conditional', 'procedure', 'equal'] as const;
export type RivalKind = (typeof RIVALS)[number];
