/**
 * SQL as the simulated database carries it out: a statement is data, and its expressions are
 * functions.
 */

export type Row = Record<string, unknown>;

/** What an expression is evaluated with, besides a row. */
export interface Environment {
  /** Of the whole packet; each parameter knows its place. */
  readonly values: readonly unknown[];
  /** Place of the statement's first parameter. */
  readonly first: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Functions of the server that concern the session, such as `GET_LOCK`. */
  readonly call: (name: string, values: readonly unknown[]) => unknown;
}

export type Expression = (row: Row, environment: Environment) => unknown;

export interface Selection {
  readonly table: string | null;
  readonly columns: readonly {
    readonly name: string;
    readonly value: Expression;
    readonly counts: boolean;
  }[];
  readonly where: Expression | null;
  readonly distinctBy: string | null;
  readonly orderBy: string | null;
  readonly limit: number;
  readonly locks: boolean;
}

export type Statement = { readonly parameters: number; readonly text: string } & (
  | { readonly kind: 'begin' | 'commit' | 'rollback' }
  | ({ readonly kind: 'select' } & Selection)
  | {
      readonly kind: 'insert';
      readonly table: string;
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Expression[])[];
      /** What it inserts instead of rows of its own. */
      readonly from: Selection | null;
      readonly ignores: boolean;
      readonly changes: readonly Change[];
    }
  | {
      readonly kind: 'update';
      readonly table: string;
      readonly changes: readonly Change[];
      readonly where: Expression | null;
    }
  | { readonly kind: 'delete'; readonly table: string; readonly where: Expression | null }
  | { readonly kind: 'kill'; readonly session: Expression }
);

/** A column and its new value. */
export type Change = readonly [column: string, value: Expression];
