import { timed } from './run/times/kinds';

/** How often a condition is looked at that cannot announce itself, milliseconds. */
const LOOK_MS = 50;

/** What `waitUntil` takes for "not yet"; an error counts as that, too. */
type NotYet = undefined | null | false;

/** Waits until `condition` gives something; `givenUp` ends the wait early. */
export async function waitUntil<T>(
  what: string,
  deadlineMs: number,
  condition: () => Promise<T | NotYet> | T | NotYet,
  givenUp: () => boolean = () => false,
): Promise<T> {
  return timed('waiting', () => waitFor(what, deadlineMs, condition, givenUp));
}

async function waitFor<T>(
  what: string,
  deadlineMs: number,
  condition: () => Promise<T | NotYet> | T | NotYet,
  givenUp: () => boolean,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    // Read before the condition, so that a program's last word before its end still counts.
    const lastLook = givenUp() || Date.now() >= end;
    let reason = '';
    try {
      const value = await condition();
      if (value !== undefined && value !== null && value !== false) return value;
    } catch (error) {
      reason = ` (${error instanceof Error ? error.message : JSON.stringify(error)})`;
    }
    if (lastLook) throw new Error(`${what}: not within ${deadlineMs} ms${reason}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
