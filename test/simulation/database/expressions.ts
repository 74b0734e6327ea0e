import type { Expression } from './sql';

const comparable = (value: unknown): unknown => {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return value instanceof Date
    ? value.getTime()
    : typeof value === 'boolean'
      ? Number(value)
      : value;
};
const COMPARE: Readonly<Record<string, (a: never, b: never) => boolean>> = {
  '=': (a, b) => a === b,
  '<>': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
};

const column =
  (name: string): Expression =>
  (row) =>
    row[name];

/** Reads expressions out of a statement, and what statements are made of besides. */
export class ExpressionParser {
  protected readonly tokens: readonly string[];
  protected at = 0;
  protected parameters = 0;

  constructor(protected readonly text: string) {
    this.tokens = text.match(/`[^`]+`|'[^']*'|[A-Za-z_][\w.]*|\d+|<=|>=|<>|\S/g) ?? [];
  }

  protected or(): Expression {
    const parts = [this.and()];
    while (this.skip('OR')) parts.push(this.and());
    return parts.length === 1
      ? parts[0]!
      : (row, environment) => parts.some((part) => part(row, environment));
  }

  private and(): Expression {
    const parts = [this.comparison()];
    while (this.skip('AND')) parts.push(this.comparison());
    return parts.length === 1
      ? parts[0]!
      : (row, environment) => parts.every((part) => part(row, environment));
  }

  private comparison(): Expression {
    const left = this.sum();
    if (this.skip('IN')) {
      const options = this.inBrackets(() => this.list(() => this.sum()));
      return (row, environment) => {
        const value = comparable(left(row, environment));
        for (const option of options)
          if (comparable(option(row, environment)) === value) return true;
        return false;
      };
    }
    const compare = COMPARE[this.tokens[this.at] ?? ''];
    if (!compare) return left;
    this.at += 1;
    const right = this.sum();
    return (row, environment) =>
      compare(
        comparable(left(row, environment)) as never,
        comparable(right(row, environment)) as never,
      );
  }

  protected sum(): Expression {
    let left = this.operand();
    for (;;) {
      const sign = this.skip('+') ? 1 : this.skip('-') ? -1 : 0;
      if (sign === 0) return left;
      const before = left;
      const interval = this.skip('INTERVAL');
      const right = this.operand();
      if (interval) this.expect('SECOND');
      left = interval
        ? (row, environment) =>
            new Date(
              (before(row, environment) as Date).getTime() +
                sign * 1000 * Number(right(row, environment)),
            )
        : (row, environment) =>
            Number(before(row, environment)) + sign * Number(right(row, environment));
    }
  }

  private operand(): Expression {
    if (this.skip('(')) {
      const inner = this.or();
      this.expect(')');
      return inner;
    }
    const token = this.take();
    if (token === '?') {
      const place = this.parameters++;
      return (_, { values, first }) => values[first + place];
    }
    if (/^\d/.test(token)) return () => Number(token);
    if (token.startsWith("'")) return () => token.slice(1, -1);
    if (token === 'NULL') return () => null;
    if (!/^[`\w]/.test(token)) this.fail();
    return this.skip('(') ? this.call(token) : column(token.replaceAll('`', ''));
  }

  private call(name: string): Expression {
    const values: Expression[] = [];
    while (!this.skip(')')) {
      values.push(this.sum());
      this.skip(',');
    }
    if (name === 'NOW') return (_, { now }) => new Date(now());
    return (row, environment) =>
      environment.call(
        name,
        values.map((value) => value(row, environment)),
      );
  }

  protected inBrackets<Inner>(inner: () => Inner): Inner {
    this.expect('(');
    const found = inner();
    this.expect(')');
    return found;
  }

  protected list<Item>(item: () => Item): Item[] {
    const items = [item()];
    while (this.skip(',')) items.push(item());
    return items;
  }

  protected name(): string {
    return this.take().replaceAll('`', '');
  }

  protected take(): string {
    return this.tokens[this.at++] ?? this.fail();
  }

  /** Goes past these words when they come next. */
  protected skip(...words: readonly string[]): boolean {
    if (!words.every((word, index) => this.tokens[this.at + index]?.toUpperCase() === word))
      return false;
    this.at += words.length;
    return true;
  }

  protected expect(word: string): void {
    if (!this.skip(word)) this.fail();
  }

  protected fail(): never {
    throw new Error(
      `the simulated database does not understand "${this.text}" from word ${this.at + 1} on`,
    );
  }
}
