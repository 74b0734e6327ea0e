import { readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';

/** Histories of operations on one title, as JSON Lines: docs/histories.md describes the format. */

export const OPERATIONS = ['read', 'borrow', 'return', 'hold', 'add'] as const;

/**
 * What an operation was answered: the HTTP status, the code of a refusal, and the fields that the
 * specification knows.
 */
export type Result = Readonly<Record<string, number | string>>;

/** One operation of one client. */
export interface Operation {
  /** Number of the client, from 0; each has a user of its own. */
  readonly user: number;
  readonly f: (typeof OPERATIONS)[number];
  /** How many copies `add` adds. */
  readonly copies?: number;
}

/**
 * - `invoke`: the request is about to be sent
 * - `ok`: it was answered, with success or a refusal
 * - `fail`: it certainly had no effect
 * - `info`: whether and when it has an effect is unknown
 */
export interface HistoryEvent {
  /** Names the history: one title. */
  readonly history: string;
  /** Names the operation within its history. */
  readonly operation: number;
  readonly type: 'invoke' | 'ok' | 'fail' | 'info';
  /**
   * Microseconds since the test began; one clock for all clients. Events stand in the order of
   * their times.
   */
  readonly time: number;
  readonly value: Operation | Result | null;
}

export type History = readonly HistoryEvent[];

export async function writeHistories(file: string, histories: Iterable<History>): Promise<void> {
  const lines = [...histories].flat().map((event) => `${JSON.stringify(event)}\n`);
  await appendFile(file, lines.join(''));
}

/** Returns the histories of a file, by name. */
export function readHistories(file: string): Map<string, History> {
  const histories = new Map<string, HistoryEvent[]>();
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const event = JSON.parse(line) as HistoryEvent;
    const events = histories.get(event.history);
    if (events) events.push(event);
    else histories.set(event.history, [event]);
  }
  return histories;
}
