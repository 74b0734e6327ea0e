import { ExpressionParser } from './expressions';
import type { Change, Expression, Statement } from './sql';

/**
 * Reads the SQL that the pipeline sends: one table a statement, and of the language no more than is
 * used. A statement that is not understood is an error that says where; then this file has to learn
 * it.
 */

class StatementParser extends ExpressionParser {
  statement(): Statement {
    const parsed = this.body();
    if (this.at < this.tokens.length) this.fail();
    return { ...parsed, parameters: this.parameters, text: this.text } as Statement;
  }

  private body(): object {
    if (this.skip('START', 'TRANSACTION')) return { kind: 'begin' };
    if (this.skip('COMMIT')) return { kind: 'commit' };
    if (this.skip('ROLLBACK')) return { kind: 'rollback' };
    if (this.skip('SELECT')) return this.select();
    if (this.skip('INSERT')) return this.insert();
    if (this.skip('UPDATE')) return this.update();
    if (this.skip('DELETE', 'FROM'))
      return { kind: 'delete', table: this.name(), where: this.where() };
    if (this.skip('KILL')) return { kind: 'kill', session: this.sum() };
    return this.fail();
  }

  private select(): object {
    const columns = this.list(() => {
      const from = this.at;
      const counts = this.skip('COUNT', '(', '*', ')');
      const value = counts ? () => null : this.sum();
      const name = this.skip('AS')
        ? this.name()
        : this.tokens.slice(from, this.at).join('').replaceAll('`', '');
      return { name, value, counts };
    });
    const table = this.skip('FROM') ? this.name() : null;
    const where = this.where();
    const distinctBy = this.skip('GROUP', 'BY') ? this.name() : null;
    const orderBy = this.skip('ORDER', 'BY') ? this.name() : null;
    const limit = this.skip('LIMIT') ? Number(this.take()) : Infinity;
    const locks = this.skip('FOR', 'UPDATE') || this.skip('LOCK', 'IN', 'SHARE', 'MODE');
    return { kind: 'select', columns, table, where, distinctBy, orderBy, limit, locks };
  }

  private insert(): object {
    const ignores = this.skip('IGNORE');
    this.expect('INTO');
    const table = this.name();
    const columns = this.inBrackets(() => this.list(() => this.name()));
    const from = this.skip('SELECT') ? this.select() : null;
    const rows = from ? [] : this.values();
    const changes = this.skip('ON', 'DUPLICATE', 'KEY', 'UPDATE') ? this.changes() : [];
    return { kind: 'insert', table, columns, rows, from, ignores, changes };
  }

  private values(): Expression[][] {
    this.expect('VALUES');
    return this.list(() => this.inBrackets(() => this.list(() => this.sum())));
  }

  private update(): object {
    const table = this.name();
    this.expect('SET');
    return { kind: 'update', table, changes: this.changes(), where: this.where() };
  }

  private changes(): Change[] {
    return this.list(() => {
      const column = this.name();
      this.expect('=');
      return [column, this.sum()] as const;
    });
  }

  private where(): Expression | null {
    return this.skip('WHERE') ? this.or() : null;
  }
}

const parsed = new Map<string, Statement>();

/** The statement that a text means; each text is read once. */
export function statementOf(text: string): Statement {
  const known = parsed.get(text) ?? new StatementParser(text).statement();
  parsed.set(text, known);
  return known;
}
