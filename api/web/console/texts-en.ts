import { shownMoment, shownNumber } from '../shared/format';
import { rounded, shownClock } from './formats';

/** Every text of the console in English. */

const shownAge = (seconds: number): string =>
  seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.floor(seconds / 60)} min`
      : `${Math.floor(seconds / 3600)} h`;

const many = (count: number, one: string, more = `${one}s`): string =>
  `${shownNumber(count)} ${count === 1 ? one : more}`;

export const englishConsole = {
  name: 'Lendline console',
  adminsOnly: "The console is for administrators. Sign in with an administrator's account.",
  databaseAway: 'The database is unavailable. Data from it may be out of date.',
  unknown: 'unknown',
  older: 'Older',
  more: 'More',
  instant: shownMoment,
  chart: (name: string, latest: string) => `Chart of the last minutes: ${name}. Now: ${latest}.`,
  chartTime: shownClock,
  chartValue: (label: string, value: number | null) =>
    value === null ? 'unknown' : `${rounded(value)} ${label}`,
  count: (count: number | null) => (count === null ? 'unknown' : shownNumber(count)),
  rate: (perSecond: number) => rounded(perSecond),
  ms: (ms: number) => `${ms} ms`,
  age: (ms: number | null) =>
    ms === null ? '–' : ms < 1000 ? `${ms} ms` : `${rounded(ms / 1000)} s`,
  after: (ms: number | null) => (ms === null ? 'unknown' : `+ ${ms} ms`),
  partitions: {
    heading: 'Partitions',
    partition: 'Partition',
    depth: 'Depth',
    waiting: 'waiting',
    oldest: 'Oldest command',
    seconds: 's',
    perSecond: 'Commands per second',
    ended: 'per second',
    owner: 'Owner',
    nobody: 'none',
    epoch: 'Epoch',
    busyOnly: 'Only partitions with commands',
    none: 'No partition has waiting commands.',
  },
  workers: {
    heading: 'Workers',
    worker: 'Worker',
    heartbeat: 'Heartbeat',
    state: 'State',
    beat: (ms: number) => (ms < 5000 ? 'alive' : `silent for ${Math.round(ms / 1000)} s`),
    count: 'Partitions',
    partitions: 'Owned partitions',
    show: 'Show',
    nothing: 'none',
    none: 'No worker is running. Start one with npm run start:worker.',
    all: 'All workers',
    gone: 'This worker is no longer running.',
    rate: 'Commands per second',
  },
  resize: {
    heading: 'Number of partitions',
    now: (partitions: number) => `Each service has ${many(partitions, 'partition')}.`,
    underWay: (from: number, to: number) =>
      from === to
        ? `Each service has ${many(to, 'partition')} now. The former queues are being removed.`
        : `Changing from ${many(from, 'partition')} to ${shownNumber(to)}. New commands wait until the earlier ones are carried out.`,
    label: 'Partitions of each service',
    resize: 'Resize',
    question: (from: number, to: number) => `Resize from ${many(from, 'partition')} to ${to}`,
    explained: (to: number) =>
      `New commands wait until the workers have carried out the earlier ones, so clients see a pause of some seconds. Where COMMAND_PARTITIONS is set, set it to ${to}: a process that expects another number does not start. The audit records who did it.`,
  },
  drain: {
    states: { serving: 'serving', draining: 'draining', drained: 'drained' },
    drain: 'Drain',
    drainQuestion: (worker: string) => `Drain ${worker}`,
    drainExplained: (partitions: number) =>
      `The worker hands over ${many(partitions, 'partition')}, and clients see a short pause. It stays alive, and takes no partition until you choose "Take work again" or restart it. The audit records who did it.`,
    resume: 'Take work again',
    resumeQuestion: (worker: string) => `Let ${worker} take work again`,
    resumeExplained:
      'The worker takes its share of the partitions from the others. Clients see a short pause. The audit records who did it.',
  },
  commands: {
    heading: 'Commands',
    latencies: 'Latency by type',
    type: 'Type',
    p50: 'Median',
    p99: 'p99',
    noTypes: 'No commands ended in the last minute.',
    search: 'Find commands',
    by: 'Search by',
    kinds: { aggregate: 'Aggregate', userId: 'User', id: 'Command id' },
    words: 'Value',
    example: 'book-info:42',
    find: 'Find',
    results: 'Results',
    none: 'No matching commands in the last 24 hours.',
    states: { queued: 'in progress', succeeded: 'done', failed: 'refused' },
    user: 'User',
    nobody: 'none',
    request: 'Request',
    refusal: 'Refusal',
    way: 'Timeline',
    steps: {
      received: 'Received',
      confirmed: 'Confirmed',
      taken: 'Taken',
      decided: 'Decided',
      committed: 'Committed',
      answered: 'Answered',
    },
  },
  letters: {
    heading: 'Dead letters',
    explained:
      'Commands that could not be carried out, and later ones parked behind them. Repair the cause first. Then replay them in order, or discard them.',
    none: 'No dead letters.',
    unreadable: 'Unreadable message',
    name: (letter: number) => `Dead letter ${letter}`,
    summary: (letter: number, ageSeconds: number, isParked: boolean) =>
      `dead letter ${letter}, ${shownAge(ageSeconds)} old${isParked ? ', parked behind another' : ''}`,
    content: 'Message',
    replay: 'Replay aggregate',
    released: 'Replaying: a worker carries it out.',
    discard: 'Discard',
    discardReally: 'Discard permanently',
    tried: (attempts: number) =>
      attempts === 0 ? 'Not tried: parked behind another' : `Tried ${many(attempts, 'time')}`,
    selectOne: 'Select',
    named: (action: string, name: string, letter: number) =>
      `${action} ${name}, dead letter ${letter}`,
    selectAll: 'Select all',
    selected: (count: number) => `${count} selected`,
    replaySelected: 'Replay…',
    discardSelected: 'Discard…',
    replayTitle: 'Replay',
    discardOne: (name: string) => `Discard ${name}`,
    discardMany: (count: number) => `Discard ${many(count, 'command')}`,
    willReplay: (aggregates: readonly string[]) =>
      `A worker carries out all dead letters of ${aggregates.join(', ')} again, in their order. Each has its effect at most once. One that fails again becomes a dead letter again.`,
    willDiscard: (names: readonly string[]) =>
      `This permanently removes ${names.join(', ')}. Their senders already have the failure as their answer. The audit records who discarded them.`,
    running: (done: number, total: number) => `${done} of ${total} done`,
    show: 'Timeline',
    replays: 'Latest replays',
    noReplays: 'No replays yet.',
    when: 'Time',
    who: 'By',
    what: 'Aggregate',
    commands: 'Commands',
    result: 'Result',
    several: 'several',
    results: (counts: ReadonlyMap<string, number>) =>
      [...counts].map(([state, count]) => `${count} ${state}`).join(', '),
  },
  events: {
    heading: 'Events',
    type: 'Event type',
    example: 'lending.borrow',
    show: 'Show',
    none: 'No events yet. New events appear here as they happen.',
    pause: 'Pause',
    resume: (waiting: number) => (waiting === 0 ? 'Resume' : `Show ${many(waiting, 'new event')}`),
    paused: 'Paused. New events wait.',
  },
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
    none: 'No matches.',
    shown: (first: number, last: number, total: number) => `${first} to ${last} of ${total}`,
    previous: 'Previous',
    next: 'Next',
  },
  way: {
    attempt: (number: number, at: string) => `Attempt ${number}, ${at}`,
    failed: 'Failed',
    parked: 'Parked',
  },
};

export type ConsoleTexts = typeof englishConsole;
