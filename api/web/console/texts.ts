import { texts } from '../shared/texts';

/** What the console says beside `texts.console`. */

const many = (count: number, one: string, more = `${one}s`): string =>
  `${count} ${count === 1 ? one : more}`;

const plainly = (type: string | null, aggregate: string | null): string => {
  const what = type === null ? texts.console.letters.unreadable : texts.pending.command(type);
  return aggregate === null ? what : `${what} (${aggregate})`;
};

export const consoleTexts = {
  /** A command as people call it. */
  plainly,
  overview: {
    heading: 'Overview',
    rate: 'Commands per second',
    p50: 'Wait, median',
    p99: 'Wait, p99',
    depth: 'Waiting',
    oldest: 'Oldest command',
    workers: 'Workers',
    letters: 'Dead letters',
    summary: 'Now',
    alerts: 'Needs attention',
    fine: 'Nothing needs attention.',
    busiest: 'Partitions to look at',
    quiet: 'No partition has commands.',
    all: (count: number) => `All ${many(count, 'partition')}`,
    lettersCount: (count: number) => (count >= 1000 ? '1000 or more' : String(count)),
  },
  alerts: {
    database: 'The database does not answer.',
    noWorkers: 'No worker is running.',
    letters: (count: number) =>
      `${many(count, 'command')} could not be carried out. Replay or discard them.`,
    unowned: (count: number) => `${many(count, 'partition')} without a worker.`,
    old: (partition: string, seconds: number) =>
      `${partition}: the oldest command has waited for ${seconds} s.`,
    silent: (worker: string, seconds: number) => `${worker} has been silent for ${seconds} s.`,
  },
  heat: {
    heading: 'All partitions',
    name: (count: number, busy: number, old: number, unowned: number) =>
      `${many(count, 'partition')}: ${busy} with commands, ${old} with old commands, ${unowned} without a worker.`,
    idle: 'idle',
    busy: 'has commands',
    old: 'old commands',
    unowned: 'no worker',
  },
  table: {
    search: 'Search',
    none: 'Nothing matches.',
    shown: (first: number, last: number, total: number) => `${first} to ${last} of ${total}`,
    previous: 'Previous',
    next: 'Next',
  },
  way: {
    attempt: (number: number, at: string) => `Attempt ${number}, ${at}`,
    failed: 'Failed',
    parked: 'Parked',
  },
  letters: {
    tried: (attempts: number) =>
      attempts === 0 ? 'Not tried: parked behind another' : `Tried ${many(attempts, 'time')}`,
    selectOne: 'Select',
    named: (action: string, name: string, letter: number) =>
      `${action} ${name}, dead letter ${letter}`,
    selectAll: 'Select all',
    selected: (count: number) => `${count} selected`,
    replaySelected: 'Replay…',
    discardSelected: 'Discard…',
    replay: 'Replay',
    discardOne: (name: string) => `Discard ${name}`,
    discard: (count: number) => `Discard ${many(count, 'command')}`,
    willReplay: (aggregates: readonly string[]) =>
      `A worker carries out all dead letters of ${aggregates.join(', ')} again, in their order. Each has its effect at most once. One that fails again becomes a dead letter again.`,
    willDiscard: (names: readonly string[]) =>
      `Removed permanently: ${names.join(', ')}. The senders were told that they failed. The audit keeps who discarded them.`,
    running: (done: number, total: number) => `${done} of ${total} done`,
    show: 'Timeline',
    replays: 'Latest replays',
    noReplays: 'Nothing was replayed yet.',
    when: 'Time',
    who: 'By',
    what: 'Aggregate',
    commands: 'Commands',
    result: 'Result',
    several: 'several',
    results: (counts: ReadonlyMap<string, number>) =>
      [...counts].map(([state, count]) => `${count} ${state}`).join(', '),
  },
  workers: {
    all: 'All workers',
    gone: 'This worker is not running any more.',
    rate: 'Commands per second',
  },
  events: {
    pause: 'Pause',
    resume: (waiting: number) => (waiting === 0 ? 'Resume' : `Show ${many(waiting, 'new event')}`),
    paused: 'Paused. New events wait.',
  },
} as const;
