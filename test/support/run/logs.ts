import { appendFileSync, closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Child } from '../service/child';
import { onCleanUp, temporaryFolder } from './cleanup';
import type { TargetName } from '../service/target';

/**
 * What the programs of a test printed while it ran. The environment of the tests
 * (`setup/environment.js`) shows it beside a test that failed. Programs that a test file has
 * started are read directly; those that a global setup has started write to files.
 */

/** Most lines of a program that are shown. */
const LINES_MAX = 40;
const LINE_LENGTH_MAX = 400;

interface Source {
  readonly name: string;
  /** Length of all that was printed so far. */
  length(): number;
  since(start: number): string;
}

const sources: Source[] = [];
let starts = new Map<Source, number>();

declare global {
  var programLogs: { begin(): void; duringTest(): string } | undefined;
}

/** Shows what a program prints while a test of this file runs. */
export function follow(child: Child): void {
  sources.push({
    name: child.name,
    length: () => child.printed,
    since: (start) => child.outputSince(start),
  });
}

const variable = (name: TargetName) => `TEST_${name.toUpperCase()}_LOGS`;

/** Lets all test files of the run follow these programs. */
export async function shareLogs(name: TargetName, children: readonly Child[]): Promise<void> {
  const folder = await temporaryFolder('logs');
  const files = children.map((child) => join(folder, child.name));
  const stops = children.map((child, index) =>
    child.onOutput((text) => {
      appendFileSync(files[index] ?? '', text);
    }),
  );
  // Cleaning up removes the folder before it stops the programs, which print until then.
  onCleanUp(() => {
    for (const stop of stops) stop();
    return Promise.resolve();
  });
  process.env[variable(name)] = files.join(delimiter);
}

/** For the environment of the tests, in each test file. */
export function offerLogs(): void {
  const shared = globalThis.contractTarget && process.env[variable(globalThis.contractTarget)];
  for (const file of shared?.split(delimiter) ?? []) sources.push(sourceOf(file));
  globalThis.programLogs = {
    begin: () => {
      starts = new Map(sources.map((source) => [source, source.length()]));
    },
    duringTest: () => sources.map(shown).join(''),
  };
}

function sourceOf(file: string): Source {
  const length = () => (existsSync(file) ? statSync(file).size : 0);
  return {
    name: file.split('/').at(-1) ?? file,
    length,
    since: (start) => {
      const buffer = Buffer.alloc(Math.max(0, length() - start));
      if (buffer.length === 0) return '';
      const descriptor = openSync(file, 'r');
      const read = readSync(descriptor, buffer, 0, buffer.length, start);
      closeSync(descriptor);
      return buffer.toString('utf8', 0, read);
    },
  };
}

function shown(source: Source): string {
  const lines = source
    .since(starts.get(source) ?? 0)
    .split('\n')
    .filter(Boolean);
  if (lines.length === 0) return '';
  const left = lines.length - LINES_MAX;
  const cut = lines
    .slice(-LINES_MAX)
    .map((line) => (line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line));
  return [
    `\n--- ${source.name} during this test`,
    ...(left > 0 ? [`(${left} lines before these)`] : []),
    ...cut,
    '',
  ].join('\n');
}
