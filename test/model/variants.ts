/** The protocol as it is, within bounds, and without one of its guards. */

export interface Bounded {
  readonly name: string;
  readonly definitions: readonly string[];
  /** Too long for the run of all tests. */
  readonly apart?: boolean;
}

/** All that holds, each within its bounds. */
export const PROTOCOLS: readonly Bounded[] = [
  { name: 'one fault of any kind', definitions: ['FAULTS=1'] },
  {
    name: 'one lost confirm and one fault but a late worker',
    definitions: ['FAULTS=1', 'LOST_CONFIRMS=1', 'NO_LATE_WORKER'],
    apart: true,
  },
];

export interface Removed {
  readonly guard: string;
  readonly definition: string;
  /** Of the model beside it, so that the fault is found soon. */
  readonly with?: readonly string[];
  /** The property that breaks. */
  readonly broken: string;
}

export const REMOVED: readonly Removed[] = [
  { guard: 'the fence of a batch', definition: 'NO_FENCE', broken: 'no_stale_commit' },
  {
    guard: 'known outcomes, and their primary key',
    definition: 'NO_DEDUPE',
    broken: 'each_command_has_one_effect',
  },
  {
    guard: 'acknowledging after the commit only',
    definition: 'ACK_EARLY',
    broken: 'every_promise_ends',
  },
  {
    guard: 'raising the epoch before the first batch',
    definition: 'NO_TAKE_OVER',
    broken: 'no_stale_commit',
  },
  {
    guard: 'ending the connection of who is in the way',
    definition: 'NO_KILL',
    broken: 'every_promise_ends',
  },
  {
    guard: 'reading for the next batch behind the commit',
    definition: 'AHEAD_READS_EARLY',
    broken: 'decided_on_the_newest_state',
  },
  {
    guard: 'rolling back what was begun ahead when no batch follows',
    definition: 'KEEP_AHEAD',
    broken: 'nothing_stays_open',
  },
  {
    guard: 'closing the channel to give a partition up',
    definition: 'CANCEL_ONLY',
    with: ['NO_LATE_WORKER'],
    broken: 'in_the_order_of_the_queue',
  },
];
