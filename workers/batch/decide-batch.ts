import type { Ending, Envelope, Outcome } from '../../shared/command';
import { serviceOf } from '../../shared/messaging/topology';
import type { ServiceName } from '../../shared/services';
import type { BatchWork, Decision, DecisionContext, DomainEvent } from './decision';
import { instant } from './statements';
import type { Row, Statement } from './transaction';

/** What a batch came to. */
export interface Decided {
  /** The answer to every command that is not forwarded, by command id. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The answers that are new and must be stored. */
  readonly fresh: readonly Outcome[];
  readonly writes: readonly Statement[];
  readonly events: readonly object[];
  readonly subjects: readonly string[];
  readonly forwards: readonly Envelope[];
}

function endingOf(decision: Exclude<Decision, { kind: 'forward' }>): Ending {
  if (decision.kind === 'refused') return { status: 'failed', refusal: decision.refusal };
  return { status: 'succeeded', created: decision.created, result: decision.result === null ? null : JSON.stringify(decision.result) };
}

function eventRows(envelope: Envelope, events: readonly DomainEvent[], now: Date): object[] {
  return events.map(({ type, aggregateId, data }, index) => ({
    eventId: `${envelope.commandId}.${index + 1}`,
    type,
    aggregateId,
    commandId: envelope.commandId,
    data: JSON.stringify(data),
    occurredAt: now,
  }));
}

/**
 * Decides the commands in their order. One whose id is known already, from an earlier delivery or from earlier in this
 * batch, gets the answer it got before and changes nothing. That of an earlier delivery is told to the cache once more:
 * its worker may have died, or lost the answer to its COMMIT, before it could.
 */
export function decideBatch(envelopes: readonly Envelope[], known: readonly Row[], works: ReadonlyMap<ServiceName, BatchWork>, context: DecisionContext): Decided {
  const before = new Map(known.map(outcomeOf).map((outcome) => [outcome.commandId, outcome]));
  const outcomes = new Map(before);
  const subjects = new Set<string>();
  const fresh: Outcome[] = [];
  const events: object[] = [];
  const forwards: Envelope[] = [];
  for (const envelope of envelopes) {
    const { commandId } = envelope;
    const work = works.get(serviceOf(envelope.type));
    if (!work) throw new Error(`no service decides ${envelope.type}`);
    const ended = before.get(commandId)?.ending;
    if (ended?.status === 'succeeded') for (const subject of work.subjectsOf(envelope, ended.result)) subjects.add(subject);
    if (outcomes.has(commandId)) continue;
    const decision = work.decide(envelope, context);
    if (decision.kind === 'forward') {
      forwards.push({ ...envelope, key: decision.key });
      continue;
    }
    if (decision.kind === 'done') events.push(...eventRows(envelope, decision.events, context.now));
    const outcome: Outcome = {
      commandId,
      type: envelope.type,
      ownerId: envelope.actor.userId,
      requestId: envelope.requestId,
      createdAt: envelope.createdAt,
      completedAt: context.now.getTime(),
      ending: endingOf(decision),
    };
    outcomes.set(commandId, outcome);
    fresh.push(outcome);
  }
  const all = [...works.values()];
  for (const subject of all.flatMap((work) => work.subjects())) subjects.add(subject);
  return { outcomes, fresh, events, forwards, writes: all.flatMap((work) => work.writes()), subjects: [...subjects] };
}

/** An outcome as its table keeps it. */
export function outcomeRow(outcome: Outcome) {
  return { ...outcome, ending: JSON.stringify(outcome.ending), createdAt: new Date(outcome.createdAt), completedAt: new Date(outcome.completedAt) };
}

function outcomeOf(row: Row): Outcome {
  return {
    commandId: row.command_id as string,
    type: row.type as string,
    ownerId: row.owner_id === null ? null : Number(row.owner_id),
    requestId: row.request_id as string,
    createdAt: instant(row.created_at).getTime(),
    completedAt: instant(row.completed_at).getTime(),
    ending: JSON.parse(row.ending as string) as Ending,
  };
}
