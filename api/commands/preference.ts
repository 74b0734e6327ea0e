/**
 * What a client prefers about waiting (RFC 7240): `Prefer: respond-async`, `Prefer: wait=n`, or
 * both.
 */
export interface Preference {
  /** How long to wait for the final answer, milliseconds; null when the client does not say. */
  readonly waitMs: number | null;
  /**
   * The client wants the promise in any case, also when the final answer is there: `respond-async`
   * without a `wait`.
   */
  readonly promiseOnly: boolean;
  /** The preferences that are honoured, for `Preference-Applied`; null when there are none. */
  readonly applied: string | null;
}

/** Longest wait that a client can ask for, seconds; more is cut to this. */
const WAIT_S_MAX = 30;

/** Reads the header. A preference is a wish: one that is not understood is ignored. */
export function readPreference(header: string | undefined): Preference {
  if (!header) return { waitMs: null, promiseOnly: false, applied: null };
  const wishes = header.split(/[,;]/).map((wish) => wish.trim().toLowerCase());
  const respondAsync = wishes.includes('respond-async');
  const seconds = wishes
    .map((wish) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(wish)?.[1])
    .find((value) => value !== undefined);
  const waitS = seconds === undefined ? null : Math.min(Number(seconds), WAIT_S_MAX);
  const applied = [
    ...(respondAsync ? ['respond-async'] : []),
    ...(waitS === null ? [] : [`wait=${waitS}`]),
  ];
  const promiseOnly = respondAsync && waitS === null;
  return {
    waitMs: waitS === null ? (respondAsync ? 0 : null) : waitS * 1000,
    promiseOnly,
    applied: applied.length > 0 ? applied.join(', ') : null,
  };
}
