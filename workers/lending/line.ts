import type { LendingEvents } from '../../shared/lending/events';
import { holdView } from '../../shared/lending/views';
import type { DomainEvent } from '../batch/service/decision';
import { event, restocked, type LendingInput } from './decided';
import type { Hold } from './hold-lines';
import type { Copy, Title } from './rows';
import type { LendingView } from './view';

/**
 * Decides who gets a free copy.
 * Each title has one line, first come, first served. A free copy is set aside for the first in
 * line, so no copy is available while anybody waits.
 * States of a hold: WAITING, READY (a copy is set aside), FULFILLED (borrowed), EXPIRED (not
 * collected in time), CANCELLED. A READY hold whose copy is lost waits again, in its former place.
 */

type Circumstances = Pick<LendingInput<'lending.return-book'>, 'state' | 'context' | 'rules'>;

/** A copy to give away, and the status under which its title counts it; null for a new copy. */
interface Freed {
  readonly copy: Copy;
  readonly from: Copy['status'] | null;
}

/** The result of giving copies to waiting readers. */
export interface Served {
  readonly title: Title;
  readonly copies: readonly Copy[];
  readonly holds: readonly Hold[];
  readonly events: readonly DomainEvent[];
}

/**
 * Returns a hold as clients see it, with the present name of its title. `position` counts from 1,
 * and is null for a hold that does not wait.
 */
export function shownHold(state: LendingView, hold: Hold, position: number | null = null) {
  return holdView({ ...hold, title: state.title(hold.bookInfoId)?.title ?? hold.title, position });
}

type HoldEvent = keyof LendingEvents & `lending.hold.${string}`;

const told = (type: HoldEvent, state: LendingView, hold: Hold): DomainEvent =>
  event(type, hold.bookInfoId, shownHold(state, hold));

/** Gives copies to waiting readers, in the order of the line. The rest becomes available. */
export function release(
  { state, context, rules }: Circumstances,
  before: Title,
  freed: readonly Freed[],
  line = state.holds.line(before.id),
): Served {
  let title = before;
  const copies: Copy[] = [];
  const holds: Hold[] = [];
  freed.forEach(({ copy, from }, index) => {
    const first = line[index];
    const status = first ? 'ON_HOLD' : 'AVAILABLE';
    title = restocked(title, from, status);
    copies.push({ ...copy, status });
    const expiresAt = state.policies.calendar.end(context.now, rules.holdPickupDays);
    if (first)
      holds.push({ ...first, status: 'READY', bookId: copy.id, readyAt: context.now, expiresAt });
  });
  return {
    title,
    copies,
    holds,
    events: holds.map((hold) => told('lending.hold.ready', state, hold)),
  };
}

/** Returns the copy that is set aside for a hold. */
export function asideFor(state: LendingView, hold: Hold | undefined): Copy | undefined {
  return hold?.status === 'READY' && hold.bookId !== null ? state.copy(hold.bookId) : undefined;
}

/** Ends a hold. Its copy, if any, goes to the next in line. */
export function close(
  input: Circumstances,
  before: Title,
  hold: Hold,
  status: 'FULFILLED' | 'EXPIRED' | 'CANCELLED',
  left: Copy | undefined,
): Served {
  const closed: Hold = { ...hold, status, closedAt: input.context.now };
  const served = release(input, before, left ? [{ copy: left, from: left.status }] : []);
  return {
    ...served,
    holds: [closed, ...served.holds],
    events: [
      told(`lending.hold.${status.toLowerCase() as Lowercase<typeof status>}`, input.state, closed),
      ...served.events,
    ],
  };
}

/**
 * Puts a hold whose copy is gone back to its former place in line. It gets another copy at once if
 * one is available.
 */
export function requeue(input: Circumstances, title: Title, hold: Hold): Served {
  const { state } = input;
  const waiting: Hold = {
    ...hold,
    status: 'WAITING',
    bookId: null,
    readyAt: null,
    expiresAt: null,
  };
  const requeued = told('lending.hold.requeued', state, waiting);
  const spare = state.availableCopy(title.id);
  if (!spare) return { title, copies: [], holds: [waiting], events: [requeued] };
  const served = release(input, title, [{ copy: spare, from: spare.status }], [waiting]);
  return { ...served, events: [requeued, ...served.events] };
}

/** Ends every hold of a title that is about to be deleted. */
export function cancelAll(
  { state, context }: Pick<Circumstances, 'state' | 'context'>,
  before: Title,
): Served {
  const open = state.holds.open(before.id);
  const cancelled = open.map((hold): Hold => ({
    ...hold,
    status: 'CANCELLED',
    closedAt: context.now,
  }));
  const aside = open.flatMap((hold) => asideFor(state, hold) ?? []);
  const title = aside.reduce(
    (stocked, { status }) => restocked(stocked, status, 'AVAILABLE'),
    before,
  );
  return {
    title,
    copies: aside.map((copy): Copy => ({ ...copy, status: 'AVAILABLE' })),
    holds: cancelled,
    events: cancelled.map((hold) => told('lending.hold.cancelled', state, hold)),
  };
}
