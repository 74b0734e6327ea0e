/** The same value, or a list of the same values in the same order. */
const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (Array.isArray(a) && JSON.stringify(a) === JSON.stringify(b));

/** What differs from what was shown: what others change meanwhile stays. Null when nothing does. */
export function changesOf<Shown extends object, Typed extends Partial<Shown>>(
  shown: Shown,
  typed: Typed,
): Partial<Typed> | null {
  const changes = Object.entries(typed).filter(
    ([name, value]) => !isSame(value, shown[name as keyof Shown]),
  );
  return changes.length > 0 ? (Object.fromEntries(changes) as Partial<Typed>) : null;
}
