/** What the service answers, and what it means. */

/** A final answer: never one that should be tried again, nor a 202. */
export interface Answer {
  readonly status: number;
  /** The parsed body, an empty object when it was not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns a field of the body that should be text; empty when it is not. */
export function textOf({ body }: Answer, field: string): string {
  const value = body[field];
  return typeof value === 'string' ? value : '';
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns a body as JSON; a proxy's page of HTML is as good as none. */
export function parsedBody(text: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Returns what is wrong with the whole import, and not with one row. */
export function fatalReason(answer: Answer): string | null {
  const { status } = answer;
  if (status === 401 || status === 403)
    return `The service refuses the token (${status} ${textOf(answer, 'code')}: ${textOf(answer, 'detail')}).`;
  if (status === 404 && !textOf(answer, 'code'))
    return 'There is no Lendline service at this address (404).';
  return status < 200 || (status >= 300 && status < 400)
    ? `The service answers ${status}: is the address right?`
    : null;
}
