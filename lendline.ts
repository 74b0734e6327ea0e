#!/usr/bin/env node
import './shared/heap';
import 'reflect-metadata';
import { services } from './shared/services';
import type { OpsCommand } from './workers/ops/command';
import { commands } from './workers/ops/commands';
import { withCompletion } from './workers/ops/completion';
import { run } from './workers/ops/run';

/** The command `lendline`: the programs, and the operator's commands. */

/** Starts a program, which runs until it is stopped, and sets the exit code by itself. */
const program = (summary: string, load: () => Promise<unknown>): OpsCommand => ({
  summary,
  options: {},
  tellsProgress: true,
  notes: 'Its settings are environment variables. It logs JSON on stdout, and stops at SIGTERM.',
  run: async () => {
    await load();
    return new Promise<number>(() => undefined);
  },
});

const all = withCompletion({
  start: program(
    'Run the whole service in one process, on SQLite',
    async () => import('./standalone.js'),
  ),
  api: program('Run an API on the servers', async () => import('./api/main.js')),
  worker: program('Run a worker on the servers', async () => import('./workers/main.js')),
  ...commands,
});

void run(process.argv.slice(2), all, services).then((exitCode) => {
  process.exitCode = exitCode;
});
