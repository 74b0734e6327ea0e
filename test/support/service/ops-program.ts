/* oxlint-disable typescript/no-explicit-any -- what a program prints is looked at by its test */
import { join } from 'node:path';
import { Child, ROOT } from './child';
import type { Environment } from './processes';

/** How long an operator's command may take, milliseconds. */
export const OPS_MS = 120_000;

export interface OpsAnswer {
  readonly code: number | null;
  readonly output: string;
  /** What it printed with `--json`; empty when it printed none. */
  readonly json: Record<string, any>;
}

/** Returns what a command that has ended printed and came to. */
export function answerOf(code: number | null, output: string, args: readonly string[]): OpsAnswer {
  // The log of the audit is JSON, too.
  const lines = output
    .split('\n')
    .filter((text) => text.startsWith('{') && !text.includes('"audit":true'));
  const line = args.includes('--json') ? lines[0] : undefined;
  return { code, output, json: JSON.parse(line ?? '{}') as Record<string, any> };
}

/** Runs an operator's command to its end. */
export async function runOps(env: Environment, ...args: string[]): Promise<OpsAnswer> {
  const child = new Child({
    name: `ops ${args.join(' ')}`,
    command: process.execPath,
    args: [join(ROOT, 'dist/workers/ops/main.js'), ...args],
    env,
  });
  const late = setTimeout(() => void child.kill(), OPS_MS);
  const { code } = await child.exited;
  clearTimeout(late);
  return answerOf(code, child.output, args);
}
