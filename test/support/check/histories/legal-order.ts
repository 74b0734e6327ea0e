import type { History, HistoryEvent, Operation, Result } from './history';
import { NEW_TITLE, step, type Title } from './title';

/**
 * Looks for a legal order of the operations of a history: one that the specification allows, in
 * which an operation that ended before another began comes first (linearizability). The search is
 * Wing and Gong's, with Lowe's two improvements. It goes through the events in order and lets
 * operations take effect just in time, when the end of one needs it; and it remembers every
 * possibility that led nowhere.
 *
 * An operation without an end may take effect at any time after its beginning, or never.
 */

/** The search gives up after this many possibilities: too little of the history is known. */
const POSSIBILITIES_MAX = 400_000;
const TITLES_SHOWN = 5;

interface Started {
  readonly id: number;
  readonly operation: Operation;
  /** Null when it is unknown. */
  readonly result: Result | null;
  /** Index of its end among the events. */
  readonly endsAt: number;
}

/** A title after some of the events, and how it came to be. */
interface Possibility {
  /** Index of the next event. */
  readonly at: number;
  readonly title: Title;
  /** Operations that have taken effect and have not ended yet. */
  readonly effective: readonly number[];
  /**
   * What a read may still show: the title after the last write that was answered 2xx, and after
   * each later one. Empty for atomic reads.
   */
  readonly seen: readonly { readonly by: number; readonly title: Title }[];
}

export interface SearchOptions {
  /**
   * What reads have to show. `atomic`: they are in one order with all operations. `answered`: a
   * read shows every write that was answered before the read began. It may miss a write that was
   * not answered yet, even if another read has shown that.
   */
  readonly reads: 'atomic' | 'answered';
}

/** Null when there is a legal order, else why none was found. */
export function withoutOrder(history: History, { reads }: SearchOptions): string | null {
  const events = history.filter((event) => event.type === 'invoke' || event.type === 'ok');
  const started = startedOperations(history, events);
  const open = openAt(events, started);
  const visited = new Set<string>();
  const farthest = new Farthest();
  const left: Possibility[] = [
    {
      at: 0,
      title: NEW_TITLE,
      effective: [],
      seen: reads === 'atomic' ? [] : [{ by: 0, title: NEW_TITLE }],
    },
  ];
  for (let one = left.pop(); one; one = left.pop()) {
    const key = JSON.stringify(one);
    if (visited.has(key)) continue;
    visited.add(key);
    if (visited.size > POSSIBILITIES_MAX)
      return `not decided after ${POSSIBILITIES_MAX} possibilities`;
    const event = events[one.at];
    if (!event) return null;
    farthest.note(one);
    // The last one is tried first.
    left.push(...following(one, event, started.get(event.operation), open[one.at] ?? []));
  }
  return described(events[farthest.at] as HistoryEvent, started, farthest.possibilities);
}

/** How far through the events any possibility led. */
class Farthest {
  at = -1;
  possibilities: Possibility[] = [];

  note(one: Possibility): void {
    if (one.at > this.at) this.possibilities = [];
    if (one.at >= this.at) this.possibilities.push(one);
    this.at = Math.max(this.at, one.at);
  }
}

/** Returns what a possibility leads to by the next event, or on the way to it. */
function following(
  one: Possibility,
  { operation: id, type }: HistoryEvent,
  operation: Started | undefined,
  open: readonly Started[],
): Possibility[] {
  if (!operation) return [{ ...one, at: one.at + 1 }];
  if (type === 'invoke') return [begun(one, operation)];
  if (one.effective.includes(id)) return [ended(one, id)];
  return open.flatMap((next) => continued(one, next));
}

/** Returns the operations that count: those without effect do not, nor do reads that nobody saw. */
function startedOperations(history: History, events: History): Map<number, Started> {
  const ends = new Map(
    history.filter(({ type }) => type !== 'invoke').map((event) => [event.operation, event]),
  );
  const started = new Map<number, Started>();
  for (const { operation: id, type, value } of events) {
    if (type !== 'invoke') continue;
    const end = ends.get(id);
    const operation = value as Operation;
    const known = end?.type === 'ok';
    if (end?.type === 'fail' || (!known && operation.f === 'read')) continue;
    const endsAt = known ? events.indexOf(end) : Infinity;
    started.set(id, { id, operation, result: known ? (end.value as Result) : null, endsAt });
  }
  return started;
}

/**
 * For each event, the operations that have begun before it and not ended; those that end first come
 * last.
 */
function openAt(events: History, started: ReadonlyMap<number, Started>): Started[][] {
  let open: Started[] = [];
  return events.map(({ operation: id, type }) => {
    const now = open;
    const operation = started.get(id);
    if (type === 'ok') open = open.filter((other) => other.id !== id);
    else if (operation)
      open = [...open, operation].sort((a, b) => b.endsAt - a.endsAt || b.id - a.id);
    return now;
  });
}

/** A read that begins may show what was so since the last write that was answered. */
function begun(one: Possibility, { id, operation, result }: Started): Possibility {
  const fits =
    operation.f === 'read' && one.seen.some(({ title }) => step(title, operation, result) !== null);
  return { ...one, at: one.at + 1, effective: fits ? [...one.effective, id] : one.effective };
}

/** From the end of a write on, reads that begin have to show it. */
function ended({ at, title, effective, seen }: Possibility, id: number): Possibility {
  const from = seen.findIndex(({ by }) => by === id);
  return {
    at: at + 1,
    title,
    effective: effective.filter((other) => other !== id),
    seen: from === -1 ? seen : seen.slice(from),
  };
}

/** Returns what follows when an operation takes effect now; nothing when it cannot. */
function continued(one: Possibility, { id, operation, result }: Started): Possibility[] {
  if (one.effective.includes(id)) return [];
  const title = step(one.title, operation, result);
  // What nobody saw and changes nothing may as well never happen.
  if (title === null || (result === null && title === one.title)) return [];
  const effective = [...one.effective, id].sort((a, b) => a - b);
  const shown =
    one.seen.length > 0 && operation.f !== 'read' && Number(result?.['status'] ?? 0) < 300;
  return [
    { at: one.at, title, effective, seen: shown ? [...one.seen, { by: id, title }] : one.seen },
  ];
}

function described(
  { operation: id }: HistoryEvent,
  started: ReadonlyMap<number, Started>,
  before: readonly Possibility[],
): string {
  const { operation, result } = started.get(id) as Started;
  const titles = [...new Set(before.map(({ title }) => JSON.stringify(title)))].slice(
    0,
    TITLES_SHOWN,
  );
  return `operation ${id}, ${JSON.stringify(operation)}, cannot have been answered ${JSON.stringify(result)}; before it the title may have been ${titles.join(' or ')}`;
}
