import type { Envelope, Refusal, ServiceRefusal } from '../../../shared/command';
import type { LeaderJob } from '../../jobs/leader-jobs';
import type { AnyNeeds, IdKind } from './needs';
import type { Statement, StatementResult } from '../sql/transaction';

/**
 * What a service gives to the pipeline. Loading and saving are lists of statements, so that a batch
 * of many commands of several services still costs two round trips; deciding is pure.
 */

/** A change to an aggregate, told to others as a domain event. */
export interface DomainEvent {
  /** `<service>.<thing>.<past tense>`, for example `lending.borrow.created`. */
  readonly type: string;
  /** Key of the aggregate that changed. */
  readonly aggregateId: string;
  readonly data: object;
}

export type Decision =
  /**
   * `created`: a new thing was made. `result` is what the client gets, null for nothing.
   * `followUps` are sent to the queues of other aggregates once this is committed. `subjects` are
   * cache subjects beside those that the command and its result tell.
   */
  | {
      readonly kind: 'done';
      readonly created: boolean;
      readonly result: object | null;
      readonly events: readonly DomainEvent[];
      readonly followUps?: readonly DueCommand[];
      readonly subjects?: readonly string[];
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /**
   * The command belongs to another aggregate than its sender knew; it is published again under that
   * key.
   */
  | { readonly kind: 'forward'; readonly key: string };

type Done = Extract<Decision, { kind: 'done' }>;

export const done = (
  result: object | null,
  events: readonly DomainEvent[],
  created = false,
): Done => ({ kind: 'done', created, result, events });

/** A decision of a service, and the rows that it makes or replaces. */
export interface DecisionOf<Changes> {
  readonly decision: Decision;
  readonly changes: Changes;
}

/** What the decisions of a service may be. */
interface DecisionTypes {
  /** Those that the service has added to `ServiceRefusals`, so that each has an HTTP status. */
  readonly refusals: ServiceRefusal;
  readonly changes: object;
  /** The data of its events, by type. */
  readonly events: object;
}

/** Returns what a service makes its decisions with. */
export const decisionsOf = <Types extends DecisionTypes>(unchanged: Types['changes']) => ({
  refuse: (
    code: Types['refusals'],
    detail: string,
    ids?: Refusal['ids'],
  ): DecisionOf<Types['changes']> => ({
    decision: { kind: 'refused', refusal: { code, detail, ...(ids && { ids }) } },
    changes: unchanged,
  }),
  accept: (
    result: object | null,
    changes: Types['changes'],
    events: readonly DomainEvent[],
    created = false,
  ): DecisionOf<Types['changes']> => ({ decision: done(result, events, created), changes }),
  event: <Type extends keyof Types['events'] & string>(
    type: Type,
    aggregateId: string,
    data: Types['events'][Type] & object,
  ): DomainEvent => ({ type, aggregateId, data }),
});

/**
 * What decisions may know besides the state. Ids are handed out in order and never twice; `Kind` is
 * what the command may take (`needs.ts`).
 */
export interface DecisionContext<Kind extends IdKind = never> {
  readonly now: Date;
  readonly takeId: (kind: Kind) => number;
}

/** What one decision is made from. */
export interface DecisionInput<State, Command extends Envelope, Kind extends IdKind> {
  readonly state: State;
  readonly command: Command;
  readonly context: DecisionContext<Kind>;
}

/** What a batch of one service's commands needs from the database, and what becomes of it. */
export interface Plan {
  /** Read in the batch's transaction, after the fence. */
  readonly reads: readonly Statement[];
  /** Makes the work of the batch out of the results of `reads`, in their order. */
  open(results: readonly StatementResult[]): BatchWork;
}

/** State of the aggregates of one batch. It lives as long as the batch. */
export interface BatchWork {
  /** Decides one command and evolves the state. Pure apart from the state: no I/O, no clock. */
  decide(command: Envelope, context: DecisionContext<IdKind>): Decision;
  /** The number of the next event of an aggregate that a decision has changed, from 1. */
  countEvent(aggregateId: string): number;
  /** The writes that bring the database to the evolved state. */
  writes(): Statement[];
  /** Cache subjects whose views have changed. */
  subjects(): string[];
  /**
   * Cache subjects whose views a command that was carried out earlier may have changed; `result` is
   * what its client got.
   */
  subjectsOf(command: Envelope, result: string | null): string[];
}

/** A command that nobody sends but the workers themselves. */
export type DueCommand = Pick<Envelope, 'type' | 'key' | 'payload'>;

/** Where answers to commands of the clock would go. */
export const NO_ADDRESS = 'nobody';

/**
 * Finds commands that time has made due, at most `limit`. One that is sent again without need must
 * come to nothing.
 */
export type FindDue = (now: Date, limit: number) => Promise<readonly DueCommand[]>;

/** A service as the workers see it. */
export interface WorkerService {
  /** What each command needs, by its type. */
  readonly needs: AnyNeeds;
  /** `upcoming` tells the ids that the decisions will get, in order. */
  plan(commands: readonly Envelope[], upcoming: (kind: IdKind) => number[]): Plan;
  /** Each finds commands of another kind that time has made due. */
  readonly due?: readonly FindDue[];
  /** What one worker does for it besides. */
  readonly jobs?: readonly LeaderJob[];
}

/** The services that a worker carries out, by name. */
export type WorkerServices = Readonly<Record<string, WorkerService>>;

export function serviceNamed(services: WorkerServices, name: string): WorkerService {
  const service = services[name];
  if (!service) throw new Error(`there is no service ${name}`);
  return service;
}
