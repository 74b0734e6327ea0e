import { readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Linux shares the processor among sessions first (`sched_autogroup`), and then among the processes
 * of a session. Each program that a test starts has a session of its own, but all of Jest's workers
 * are in one. Beside eight busy programs, a client in a test gets so little that it waits ten
 * seconds for an answer that was there at once.
 */

/** The share of this session. */
const GROUP = '/proc/self/autogroup';
/** As much as four sessions that have 0, for four workers: each step is a factor of 1.25. */
const NICE = '-6';

/** Enlarges the share of this session until this process ends. Only root may do that. */
export function enlargeShare(): void {
  try {
    const before = /nice (-?\d+)/.exec(readFileSync(GROUP, 'utf8'))?.[1] ?? '0';
    if (before === NICE) return;
    writeFileSync(GROUP, NICE);
    process.once('exit', () => {
      writeFileSync(GROUP, before);
    });
  } catch {
    // No such groups here, or no right to change them.
  }
}

const LOWEST = constants.priority.PRIORITY_LOW;

function shareOf(pid: number, nice: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // No such groups here, or the session has ended.
  }
}

/**
 * Leaves a session that begins with the process `pid` only what all others do not use, until the
 * returned function is called: beside two busy programs it would take an hour.
 */
export function giveWay(pid: number): () => void {
  setPriority(pid, LOWEST);
  shareOf(pid, LOWEST);
  return () => {
    shareOf(pid, 0);
  };
}
