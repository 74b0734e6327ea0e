/** Hides secrets in what people are shown: dead letters, the audit. */

/** Members whose values are nobody's business, wherever they stand. */
const SECRET = /password|secret|token|hash|credential/i;
const MASK = '***';
/** The same in text that is no JSON, where a value may be cut off. */
const SECRET_TEXT =
  /("[^"]*(?:password|secret|token|hash|credential)[^"]*"\s*:\s*)("(?:[^"\\]|\\.)*"?|[^,}\s]+)/gi;

/** A text without the secrets in it. It may be JSON, or hold a piece of it. */
export function maskedText(text: string): string {
  if (!SECRET.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object') return JSON.stringify(masked(value));
  } catch {
    // Then it is looked through as text.
  }
  return text.replace(SECRET_TEXT, `$1"${MASK}"`);
}

/** A JSON value without the secrets in it. */
export function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskedText(value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const hidden = SECRET.test(name) && member !== null;
    return [name, hidden ? MASK : masked(member)] as const;
  });
  return Object.fromEntries(members);
}
