import type { Envelope } from '../../../shared/command';

/**
 * Which cached views of a service its commands change, as the subjects of `shared/cache/cache.ts`.
 */
export interface CachedViews<State, Command extends Envelope> {
  /** The subjects that a batch has changed. */
  changed(state: State): string[];
  /**
   * The subjects that each command may have changed when it was carried out earlier; `result` is
   * the JSON text of what its client got. Every command has an entry, so the compiler asks for that
   * of a new one.
   */
  readonly of: {
    readonly [Type in Command['type']]: (
      command: Extract<Command, { type: Type }>,
      result: string | null,
    ) => string[];
  };
}

/** Returns the subjects that a command which was carried out earlier may have changed. */
export function subjectsOf<Command extends Envelope>(
  views: CachedViews<never, Command>,
  command: Command,
  result: string | null,
): string[] {
  // The compiler does not see that the type of a command leads to its own entry.
  const entry = views.of[command.type as Command['type']] as (
    command: Command,
    result: string | null,
  ) => string[];
  return entry(command, result);
}
