import { join } from 'node:path';
import { Child, ROOT } from './child';
import { answerOf, OPS_MS, type OpsAnswer } from './ops-program';
import type { Environment } from './processes';

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

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
    const { code, output } = await this.ask({ env, args });
    return answerOf(code, output, args);
  }

  /** Starts a program that is meant to fail, as `startInVain` does. */
  async startInVain(file: string, env: Environment): Promise<Ended> {
    return this.ask({ env, file });
  }

  private async ask(what: object): Promise<Ended> {
    this.url ??= this.start();
    const response = await fetch(await this.url, {
      method: 'POST',
      body: JSON.stringify(what),
      signal: AbortSignal.timeout(OPS_MS),
    });
    return (await response.json()) as Ended;
  }

  private start(): Promise<string> {
    const { NODE_EXTRA_CA_CERTS } = this.env;
    const child = new Child({
      name: 'ops',
      command: process.execPath,
      args: [join(ROOT, 'test/support/service/ops-shell-program.js')],
      // Node reads this variable once, at its start.
      env: { ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }) },
    });
    return child.line('listens', OPS_MS, (line) => {
      const [, port] = /^listens at (\d+)$/.exec(line) ?? [];
      return port && `http://127.0.0.1:${port}`;
    });
  }
}
