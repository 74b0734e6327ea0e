/** Hides secrets in what people see: dead letters and the audit. */

/** Members whose values are hidden, wherever they stand. */
const SECRET = /password|secret|token|hash|credential/i;
const MASK = '***';
/** The same for text that is no JSON, where a value may be cut off. */
const SECRET_TEXT =
  /("[^"]*(?:password|secret|token|hash|credential)[^"]*"\s*:\s*)("(?:[^"\\]|\\.)*"?|[^,}\s]+)/gi;

/** Hides the secrets in a text, which may be JSON or contain a piece of it. */
export function maskedText(text: string): string {
  if (!SECRET.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object') return JSON.stringify(masked(value));
  } catch {
    // It is no JSON, so it is searched as text.
  }
  return text.replace(SECRET_TEXT, `$1"${MASK}"`);
}

/** Hides the secrets in a JSON value. */
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
