import { join } from 'node:path';
import { Child, ROOT } from './child';
import { answerOf, OPS_MS, type OpsAnswer } from './ops-program';
import type { Environment } from './processes';

/** An operator's commands as `runOps` runs them, but one after the other in one process. */
export class OpsShell {
  private url: Promise<string> | undefined;

  constructor(private readonly env: Environment = {}) {}

  /** Runs a command to its end; the one before it has ended. */
  async run(...args: string[]): Promise<OpsAnswer> {
    return this.runIn(this.env, ...args);
  }

  /** The same with another environment. */
  async runIn(env: Environment, ...args: string[]): Promise<OpsAnswer> {
    this.url ??= this.start();
    const response = await fetch(await this.url, {
      method: 'POST',
      body: JSON.stringify({ env, args }),
      signal: AbortSignal.timeout(OPS_MS),
    });
    const { code, output } = (await response.json()) as { code: number; output: string };
    return answerOf(code, output, args);
  }

  private start(): Promise<string> {
    const child = new Child({
      name: 'ops',
      command: process.execPath,
      args: [join(ROOT, 'test/support/service/ops-shell-program.js')],
    });
    return child.line('listens', OPS_MS, (line) => {
      const [, port] = /^listens at (\d+)$/.exec(line) ?? [];
      return port && `http://127.0.0.1:${port}`;
    });
  }
}
