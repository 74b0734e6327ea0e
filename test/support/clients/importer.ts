import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../run/cleanup';
import { ops } from '../service/ops';
import type { Target } from '../service/target';

/** An operator who imports rows through the API of a service. */

type Row = Readonly<Record<string, unknown>>;
type Counts = Readonly<
  Record<'rows' | 'registered' | 'alreadyThere' | 'merged' | 'warnings' | 'refused', number>
>;

/** What an import counts that has no row. */
export const NO_ROWS: Counts = {
  rows: 0,
  registered: 0,
  alreadyThere: 0,
  merged: 0,
  warnings: 0,
  refused: 0,
};

/** Returns a file with this content. */
export async function written(name: string, content: string): Promise<string> {
  const file = join(await temporaryFolder('import'), name);
  writeFileSync(file, content);
  return file;
}

/** Returns a file of JSON Lines. */
export const jsonLines = (rows: readonly Row[]): Promise<string> =>
  written('rows.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));

export class Importer {
  constructor(private readonly target: Target) {}

  /** Returns the arguments of such an import, with an administrator's token unless given. */
  argumentsOf(things: string, file: string, token = this.target.admin): string[] {
    return [`import-${things}`, file, '--url', this.target.url, '--token', token, '--json'];
  }

  /** Returns the counts of an import, its remarks and its exit code. */
  async imported(
    things: string,
    file: string,
    token?: string,
  ): Promise<{ counts: Counts; told: string; exitCode: number }> {
    const { exitCode, stdout, stderr } = await ops(...this.argumentsOf(things, file, token));
    return { counts: JSON.parse(stdout) as Counts, told: stderr, exitCode };
  }

  /**
   * Returns an administrator whose Idempotency-Keys are other ones, as if those of an earlier
   * import had expired.
   */
  laterAdmin(): string {
    return this.target.token({ isAdmin: true });
  }
}
