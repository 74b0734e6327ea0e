import type { DeadLetterSummary } from '../../shared/database/dead-letters';
import type { WorkerState } from '../../shared/database/worker-tables';
import {
  amount,
  arrayOf,
  count,
  flag,
  id,
  instant,
  nullable,
  object,
  oneOf,
  text,
} from '../openapi/schema';
import type { CommandFailure, CommandTrack } from './command-search';
import type { ConsolePoint } from './history';
import type {
  ConsoleSample,
  LayoutSample,
  PartitionSample,
  TypeSample,
  Totals,
  WaitSample,
  WorkerSample,
} from './sample';

/** What the console gets, for the document. */

/** A dead letter as the console shows it. */
export interface DeadLetterView extends DeadLetterSummary {
  /** How often its command was tried and failed; none when it was only parked. */
  readonly attempts: number;
}

const partition = object<PartitionSample>('PartitionSample', {
  partition: text,
  depth: nullable(count),
  oldestAgeMs: nullable(count),
  owner: nullable(text),
  epoch: count,
  perSecond: nullable(amount),
});
const workerState = oneOf<WorkerState>(['serving', 'draining', 'drained']);
const worker = object<WorkerSample>('WorkerSample', {
  worker: text,
  partitions: arrayOf(text),
  heartbeatAgeMs: count,
  state: workerState,
});
const layout = object<LayoutSample>('LayoutSample', {
  partitions: id,
  changesTo: nullable(id),
});

/** What commands about workers and partitions come to. */
export const partitionsResize = object<{ readonly from: number; readonly to: number }>(
  'PartitionsResize',
  { from: id, to: id },
  { from: 16, to: 32 },
);
export const workerChange = object<Pick<WorkerSample, 'worker' | 'state'>>(
  'WorkerChange',
  { worker: text, state: workerState },
  { worker: 'host-41-a1b2c3', state: 'draining' },
);

const type = object<TypeSample>('TypeSample', {
  type: text,
  perSecond: amount,
  p50Ms: count,
  p99Ms: count,
});

const wait = object<WaitSample>('WaitSample', { p50Ms: count, p99Ms: count });

const totalMembers = {
  perSecond: nullable(amount),
  depth: nullable(count),
  oldestAgeMs: nullable(count),
} as const;
const totals = object<Totals>('ConsoleTotals', totalMembers);

export const consoleSample = object<ConsoleSample>('ConsoleSample', {
  at: instant,
  databaseAway: flag,
  totals,
  wait: nullable(wait),
  deadLetters: count,
  partitions: arrayOf(partition),
  workers: arrayOf(worker),
  layout: nullable(layout),
  types: arrayOf(type),
});

const point = object<ConsolePoint>('ConsolePoint', {
  at: instant,
  ...totalMembers,
});

export const consoleHistory = object('ConsoleHistory', { items: arrayOf(point) });

const deadLetterMembers = {
  letter: id,
  commandId: text,
  type: nullable(text),
  aggregate: nullable(text),
  partition: text,
  reason: text,
  parked: flag,
  state: oneOf(['kept', 'released']),
  deadAt: instant,
  ageSeconds: count,
  attempts: count,
} as const;

const deadLetter = object<DeadLetterView>('DeadLetter', deadLetterMembers);

export const deadLetterDetail = object<DeadLetterView & { readonly content: string }>(
  'DeadLetterDetail',
  {
    ...deadLetterMembers,
    content: {
      ...text,
      description:
        'The message as indented JSON, with secrets masked. An unreadable message is given as text.',
    },
  },
);

export const deadLetterList = object('DeadLetterList', {
  items: arrayOf(deadLetter),
  next: nullable(id),
});

export const replayed = object('ReplayedLetters', {
  aggregate: nullable(text),
  letters: arrayOf(id),
});

const commandFailure = object<CommandFailure>('CommandFailure', {
  failedAt: instant,
  reason: text,
  parked: flag,
  answeredAt: nullable(instant),
});

const commandTrack = object<CommandTrack>('CommandTrack', {
  commandId: text,
  type: text,
  status: oneOf(['queued', 'succeeded', 'failed']),
  code: nullable(text),
  detail: nullable(text),
  userId: nullable(id),
  aggregate: nullable(text),
  requestId: nullable(text),
  receivedAt: instant,
  confirmedAt: nullable(instant),
  takenAt: nullable(instant),
  decidedAt: nullable(instant),
  committedAt: nullable(instant),
  answeredAt: nullable(instant),
  api: nullable(text),
  worker: nullable(text),
  failures: arrayOf(commandFailure),
});

export const commandTrackList = object('CommandTrackList', {
  items: arrayOf(commandTrack),
  next: nullable(text),
});
