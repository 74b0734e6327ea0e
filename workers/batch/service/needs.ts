import type { Envelope } from '../../../shared/command';

/**
 * What each command of a service needs of its batch. The table of a service has one entry for each
 * of its commands, so the compiler asks for the entry of a new one. It also gives `takeId` its
 * type, so a decision takes no id that its command did not ask for.
 */

/**
 * What the ids of a block are for, for instance `borrow`; each service's migration seeds its own
 * kinds.
 */
export type IdKind = string;

/** A number that may depend on what the command carries. */
type Count<Payload> = number | ((payload: Payload) => number);

/** `Wanted` gathers what the commands of a batch have to read. */
export interface Need<Command extends Envelope, Wanted> {
  /** How many ids of each kind it takes at most. */
  readonly ids: Readonly<Record<IdKind, Count<Command['payload']>>>;
  /** Adds what its decision looks at. */
  readonly reads: (command: Command, wanted: Wanted) => void;
  /** It must be the only command of its batch. */
  readonly alone?: true;
  /** How many characters of text it writes, where these may be many. */
  readonly characters?: Count<Command['payload']>;
}

/** The needs of all commands of a service. */
export type NeedsOf<Command extends Envelope, Wanted> = {
  readonly [Type in Command['type']]: Need<Extract<Command, { type: Type }>, Wanted>;
};

/** The kinds of ids that a command may take; of several commands, those that each may take. */
export type IdsOf<
  Needs extends Readonly<Record<string, { readonly ids: object }>>,
  Type extends keyof Needs,
> = keyof Needs[Type]['ids'] & IdKind;

/** The kinds of ids that any command of a service may take. */
export type AllIdsOf<Needs extends Readonly<Record<string, { readonly ids: object }>>> = {
  [Type in keyof Needs]: IdsOf<Needs, Type>;
}[keyof Needs];

/** A table as the pipeline sees it, which knows no service's commands. */
export type AnyNeeds = Readonly<Record<string, Need<never, never>>>;

/** What the decisions of some commands look at, gathered in `wanted`. */
export function gather<Command extends Envelope, Wanted>(
  needs: NeedsOf<Command, Wanted>,
  commands: readonly Command[],
  wanted: Wanted,
): Wanted {
  for (const command of commands) {
    // The compiler does not see that the type of a command leads to its own entry.
    const { reads } = needs[command.type as Command['type']] as unknown as Need<Command, Wanted>;
    reads(command, wanted);
  }
  return wanted;
}

/** What a batch needs besides its reads. */
export interface Demand {
  /** How many ids of each kind its decisions take at most. */
  readonly ids: ReadonlyMap<IdKind, number>;
  /** All of them together. */
  readonly rows: number;
  readonly characters: number;
  /** Whether one of the commands must be the only one. */
  readonly alone: boolean;
}

const counted = (count: Count<never>, payload: unknown): number =>
  typeof count === 'number' ? count : (count as (payload: unknown) => number)(payload);

/** Adds up what commands need; `needsOf` gives the table of a command's service. */
export function demandOf(
  commands: readonly Envelope[],
  needsOf: (command: Envelope) => AnyNeeds,
): Demand {
  const ids = new Map<IdKind, number>();
  let [rows, characters, alone] = [0, 0, false];
  for (const command of commands) {
    const { type, payload } = command;
    const need = needsOf(command)[type];
    if (!need) throw new Error(`nothing is known of what ${type} needs`);
    for (const kind in need.ids) {
      const count = counted(need.ids[kind] ?? 0, payload);
      rows += count;
      if (count > 0) ids.set(kind, (ids.get(kind) ?? 0) + count);
    }
    if (need.characters !== undefined) characters += counted(need.characters, payload);
    alone ||= need.alone === true;
  }
  return { ids, rows, characters, alone };
}
