import type { LetterSummary } from '../../shared/database/dead-letters';
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
import type { CommandTrack } from './command-search';
import type { ConsoleSample, PartitionSample, TypeSample, WorkerSample } from './sample';

/** What the console gets, for the document. */

const partition = object<PartitionSample>('PartitionSample', {
  partition: text,
  depth: nullable(count),
  oldestAgeMs: nullable(count),
  owner: nullable(text),
  epoch: count,
  perSecond: amount,
});
const worker = object<WorkerSample>('WorkerSample', {
  worker: text,
  partitions: arrayOf(text),
  heartbeatAgeMs: count,
});
const type = object<TypeSample>('TypeSample', {
  type: text,
  perSecond: amount,
  p50Ms: count,
  p99Ms: count,
});

export const consoleSample = object<ConsoleSample>('ConsoleSample', {
  at: instant,
  databaseAway: flag,
  partitions: arrayOf(partition),
  workers: arrayOf(worker),
  types: arrayOf(type),
});

const letterMembers = {
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
} as const;

const deadLetter = object<LetterSummary>('DeadLetter', letterMembers);

export const deadLetterDetail = object<LetterSummary & { readonly content: string }>(
  'DeadLetterDetail',
  {
    ...letterMembers,
    content: {
      ...text,
      description:
        'The message as indented JSON, secrets masked; that of one which cannot be read is its text.',
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
});

export const commandTrackList = object('CommandTrackList', {
  items: arrayOf(commandTrack),
  next: nullable(text),
});
