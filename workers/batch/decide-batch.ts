import { isAudited } from '../../shared/audit/commands';
import type { AuditEntry } from '../../shared/audit/entry';
import type { Actor, Ending, Envelope, Outcome } from '../../shared/command';
import { subjectsIn } from '../../shared/database/subjects';
import type { PublishedEvent } from '../../shared/messaging/event';
import { serviceOf } from '../../shared/messaging/topology';
import { auditEntry } from './audit-entry';
import { ownCommand } from '../jobs/own-command';
import { noticesOf, type NewNotice } from '../notices/notices';
import { failed } from './failures/dead-letters';
import type { BatchWork, Decision, DecisionContext } from './service/decision';
import type { IdKind } from './service/needs';
import { outcomeFor, outcomeOf } from './service/outcome';
import type { Quarantine } from './failures/quarantine';
import type { Row, Statement } from './sql/transaction';

/** What a batch came to. */
export interface BatchResult {
  /** The answer to every command that is not forwarded, by command id. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /**
   * The answers that are new and must be stored, each with the key of its command, and when that
   * was taken.
   */
  readonly fresh: readonly FreshOutcome[];
  readonly writes: readonly Statement[];
  readonly events: readonly PublishedEvent[];
  /** Whom the events notify, in their order. */
  readonly notices: readonly NewNotice[];
  /** Cache subjects whose views show something else now. */
  readonly subjects: readonly string[];
  /** Those of each command that was carried out, now or before, by command id. */
  readonly changed: ReadonlyMap<string, readonly string[]>;
  readonly forwards: readonly Envelope[];
  /** What is audited, in the order of the commands. */
  readonly audited: readonly AuditEntry[];
}

export interface FreshOutcome {
  readonly outcome: Outcome;
  readonly key: string;
  readonly takenAt: number;
}

/** A command of a batch, and the partition that it came from. */
export interface BatchCommand {
  readonly envelope: Envelope;
  readonly partition: string;
  /** When it came out of its queue, milliseconds since 1970. */
  readonly takenAt: number;
}

/** What is known when a batch is decided, besides the state of its aggregates. */
export interface BatchContext extends DecisionContext<IdKind> {
  /** Stored outcomes of commands in the batch. */
  readonly known: readonly Row[];
  readonly quarantine: Quarantine;
  /** Whether the sender's row was deleted. */
  isGone(actor: Actor): boolean;
  /** So many commands are on their way to their queues already that no more may be forwarded. */
  readonly forwardsFull: boolean;
}

/** Refusal of a command that had to go to another queue, when too many wait to get into theirs. */
const NO_ROOM: Ending = {
  status: 'failed',
  refusal: {
    code: 'UNAVAILABLE',
    detail:
      'Too many commands wait for their queues. Nothing was changed; send it again later, with another Idempotency-Key if it had one.',
  },
};

/** Refusal of a command of somebody whose account is there no more. */
const GONE: Ending = {
  status: 'failed',
  refusal: { code: 'TOKEN_REVOKED', detail: 'The account of this token does not exist.' },
};

function succeeded({
  created,
  result,
}: Extract<Decision, { kind: 'done' }>): Extract<Ending, { status: 'succeeded' }> {
  return { status: 'succeeded', created, result: result === null ? null : JSON.stringify(result) };
}

const eventIdOf = (commandId: string, index: number): string => `${commandId}.${index + 1}`;

/**
 * Events of a command that came to a result, of which the JSON text is there already: most events
 * tell just that.
 */
function publishedEvents(
  work: BatchWork,
  envelope: Envelope,
  { events, result }: Extract<Decision, { kind: 'done' }>,
  text: string | null,
  now: Date,
): PublishedEvent[] {
  return events.map(({ type, aggregateId, data }, index) => ({
    eventId: eventIdOf(envelope.commandId, index),
    type,
    aggregateId,
    commandId: envelope.commandId,
    sequence: work.countEvent(aggregateId),
    traceparent: envelope.traceparent,
    data: data === result && text !== null ? text : JSON.stringify(data),
    occurredAt: now,
  }));
}

/** Whom the events of a command notify. */
const noticesFor = (
  { commandId }: Envelope,
  { events }: Extract<Decision, { kind: 'done' }>,
  now: Date,
): NewNotice[] =>
  events.flatMap((event, index) => noticesOf(event, eventIdOf(commandId, index), now));

/** Cache subjects whose views a command has changed that was carried out earlier. */
function toldAgain(work: BatchWork, envelope: Envelope, row: Row | undefined): readonly string[] {
  if (!row) return [];
  const { ending } = outcomeOf(row);
  if (ending.status !== 'succeeded') return [];
  const stored = subjectsIn({
    subjects: row.subjects as string | null,
    longSubjects: row.long_subjects as string | null,
  });
  return [...new Set([...work.subjectsOf(envelope, ending.result), ...(stored ?? [])])];
}

/** Cache subjects whose views a command has changed that came to a result. */
const subjectsOf = (
  work: BatchWork,
  envelope: Envelope,
  { subjects = [] }: Extract<Decision, { kind: 'done' }>,
  text: string | null,
): readonly string[] => [...work.subjectsOf(envelope, text), ...subjects];

/** Also when many wait for their queues: what is decided must be followed up. */
function followUpsOf(
  { followUps = [] }: Extract<Decision, { kind: 'done' }>,
  now: Date,
): Envelope[] {
  return followUps.map((command) => ownCommand(command, 'after', now.getTime()));
}

/**
 * Decides the commands in order. A command whose id is known gets the answer that it got before,
 * and changes nothing. When that was an earlier delivery, its caches are invalidated again, because
 * its worker may have died before it could. A command whose aggregate is in quarantine is parked.
 * It is replayed when it is the first dead letter of its aggregate; its former failure then no
 * longer counts.
 */
export function decideBatch(
  given: readonly BatchCommand[],
  works: ReadonlyMap<string, BatchWork>,
  context: BatchContext,
): BatchResult {
  const { quarantine, now } = context;
  const before = new Map(context.known.map((row) => [row.command_id, row]));
  const outcomes = new Map(
    context.known.map(outcomeOf).map((outcome) => [outcome.commandId, outcome]),
  );
  const subjects = new Set<string>();
  const changed = new Map<string, readonly string[]>();
  const fresh: FreshOutcome[] = [];
  const events: PublishedEvent[] = [];
  const notices: NewNotice[] = [];
  const forwards: Envelope[] = [];
  const audited: AuditEntry[] = [];
  const end = ({ envelope, takenAt }: BatchCommand, ending: Ending, decision?: Decision) => {
    const outcome = outcomeFor(envelope, ending, now);
    outcomes.set(envelope.commandId, outcome);
    fresh.push({ outcome, key: envelope.key, takenAt });
    if (isAudited(envelope)) audited.push(auditEntry(envelope, ending, decision, now));
  };
  for (const one of given) {
    const { envelope, partition } = one;
    const work = works.get(serviceOf(envelope.type));
    if (!work) throw new Error(`no service decides ${envelope.type}`);
    const standing = quarantine.standing(envelope);
    if (standing === 'replay') {
      outcomes.delete(envelope.commandId);
      quarantine.leave(envelope);
    }
    const stale = toldAgain(work, envelope, before.get(envelope.commandId));
    if (stale.length > 0) changed.set(envelope.commandId, stale);
    for (const subject of stale) subjects.add(subject);
    if (outcomes.has(envelope.commandId) || standing === 'later') continue;
    if (standing === 'behind') {
      end(one, failed(quarantine.park(envelope, partition, now)));
      continue;
    }
    if (context.isGone(envelope.actor)) {
      end(one, GONE);
      continue;
    }
    const decision = work.decide(envelope, context);
    if (decision.kind === 'refused') end(one, { status: 'failed', refusal: decision.refusal });
    else if (decision.kind === 'done') {
      const ending = succeeded(decision);
      end(one, ending, decision);
      changed.set(envelope.commandId, subjectsOf(work, envelope, decision, ending.result));
      events.push(...publishedEvents(work, envelope, decision, ending.result, now));
      notices.push(...noticesFor(envelope, decision, now));
      forwards.push(...followUpsOf(decision, now));
    } else if (context.forwardsFull) end(one, NO_ROOM);
    else forwards.push({ ...envelope, key: decision.key });
  }
  const all = [...works.values()];
  for (const subject of all.flatMap((work) => work.subjects())) subjects.add(subject);
  return {
    outcomes,
    fresh,
    changed,
    events,
    notices,
    forwards,
    audited,
    writes: [...all.flatMap((work) => work.writes()), ...quarantine.writes()],
    subjects: [...subjects],
  };
}
