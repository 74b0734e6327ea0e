/** Failures that batch tests plan. */

/** Makes an error with a code, as a database's driver does. */
export const coded = (code: string): Error => Object.assign(new Error(code), { code });

/** Does something the first time, and nothing later. */
export function once(act: () => Promise<void> | void): () => Promise<void> | void {
  let calls = 0;
  return () => ((calls += 1) === 1 ? act() : undefined);
}

export const fails = (error: Error) => () => Promise.reject(error);
