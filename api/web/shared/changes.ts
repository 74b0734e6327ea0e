/** Returns whether two values are the same, or lists of the same values in the same order. */
const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (Array.isArray(a) && JSON.stringify(a) === JSON.stringify(b));

/**
 * Returns the fields that the user has changed, so that changes of others stay. Null when there are
 * none.
 */
export function changesOf<Shown extends object, Typed extends Partial<Shown>>(
  shown: Shown,
  typed: Typed,
): Partial<Typed> | null {
  const changes = Object.entries(typed).filter(
    ([name, value]) => !isSame(value, shown[name as keyof Shown]),
  );
  return changes.length > 0 ? (Object.fromEntries(changes) as Partial<Typed>) : null;
}
