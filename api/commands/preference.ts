/**
 * What a client prefers (RFC 7240): `Prefer: respond-async`, `wait=n` or both about waiting, and
 * `return=minimal` about the answer.
 */
export interface Preference {
  /** How long to wait for the final answer, milliseconds; null when the client does not say. */
  readonly waitMs: number | null;
  /**
   * The client wants the promise in any case, also when the final answer is there: `respond-async`
   * without a `wait`.
   */
  readonly promiseOnly: boolean;
  /** The client needs no body of an answer that says that it is done. */
  readonly isMinimal: boolean;
  /** The honoured part of the preference, for `Preference-Applied`; null when there is none. */
  readonly applied: string | null;
}

/** A longer header is not read, characters. */
const LENGTH_MAX = 1000;
/** Longest wait that a client can ask for, seconds; more is cut to this. */
const WAIT_S_MAX = 30;

/** The parts between separators that are not within quotes. */
const split = (text: string, parts: RegExp): string[] => text.match(parts) ?? [];
const PREFERENCES = /(?:"(?:[^"\\]|\\.)*"|[^,"])+/g;
const PARAMETERS = /(?:"(?:[^"\\]|\\.)*"|[^;"])+/g;

/** Reads the header. An unknown preference is ignored. */
export function readPreference(header: string | undefined): Preference {
  if (!header || header.length > LENGTH_MAX)
    return { waitMs: null, promiseOnly: false, isMinimal: false, applied: null };
  // What follows a semicolon is a parameter of the preference before it.
  const wishes = split(header, PREFERENCES).map((preference) =>
    (split(preference, PARAMETERS)[0] ?? '').trim().toLowerCase(),
  );
  const respondAsync = wishes.includes('respond-async');
  // Of a preference that stands there twice, the first counts.
  const valueOf = (form: RegExp) =>
    wishes.map((wish) => form.exec(wish)?.[1]).find((value) => value !== undefined);
  const seconds = valueOf(/^wait\s*=\s*"?(\d{1,9})"?$/);
  const isMinimal = valueOf(/^return\s*=\s*"?(minimal|representation)"?$/) === 'minimal';
  const waitS = seconds === undefined ? null : Math.min(Number(seconds), WAIT_S_MAX);
  const applied = [
    ...(respondAsync ? ['respond-async'] : []),
    ...(waitS === null ? [] : [`wait=${waitS}`]),
  ];
  const promiseOnly = respondAsync && waitS === null;
  return {
    waitMs: waitS === null ? (respondAsync ? 0 : null) : waitS * 1000,
    promiseOnly,
    isMinimal,
    applied: applied.length > 0 ? applied.join(', ') : null,
  };
}
