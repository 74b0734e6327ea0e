import type { Envelope } from '../../../shared/command';
import { subjectsOf, type CachedViews } from './cached-views';
import type { Decision, DecisionContext, Plan } from './decision';
import type { EventCounts } from './event-counts';
import type { IdKind } from './needs';
import type { Row, Statement } from '../sql/transaction';

/** A SELECT that a batch needs, and what becomes of its rows. */
export interface Read<State> {
  readonly statement: Statement;
  /** Puts the rows into the state. */
  apply(rows: readonly Row[], state: State): void;
}

/**
 * The parts of a service's work on one batch: a state that reads fill, decisions change and writes
 * bring to the database.
 */
export interface StateParts<State, Command extends Envelope, Changes, Kind extends IdKind> {
  readonly reads: readonly Read<State>[];
  newState(): State;
  /** Pure. */
  decide(
    state: State,
    command: Command,
    context: DecisionContext<Kind>,
  ): { readonly decision: Decision; readonly changes: Changes };
  /** The counts of a service that has events; reads fill and writes store them. */
  events?(state: State): EventCounts;
  writes(state: State): Statement[];
  /** Null for a service whose views are not cached. */
  readonly views: CachedViews<State, Command> | null;
}

/**
 * The plan that these parts make; the same for every service that keeps its aggregates in a state.
 */
export function statePlan<
  State extends { evolve(changes: Changes): void },
  Command extends Envelope,
  Changes,
  Kind extends IdKind,
>(parts: StateParts<State, Command, Changes, Kind>): Plan {
  return {
    reads: parts.reads.map(({ statement }) => statement),
    open(results) {
      const state = parts.newState();
      parts.reads.forEach((read, index) => {
        read.apply(results[index]?.rows ?? [], state);
      });
      return {
        decide(command, context) {
          const { decision, changes } = parts.decide(state, command as Command, context);
          state.evolve(changes);
          return decision;
        },
        countEvent(aggregateId) {
          const counts = parts.events?.(state);
          if (!counts) throw new Error(`nobody counts the events of ${aggregateId}`);
          return counts.next(aggregateId);
        },
        writes: () => parts.writes(state),
        subjects: () => parts.views?.changed(state) ?? [],
        subjectsOf: (command, result) =>
          parts.views ? subjectsOf(parts.views, command as Command, result) : [],
      };
    },
  };
}
