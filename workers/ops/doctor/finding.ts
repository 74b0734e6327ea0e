/** What the doctor found out about one thing. */
export interface Finding {
  /** What was looked at, in one or two words. */
  readonly about: string;
  /**
   * `warning`: it works, and yet somebody should do something; `fault`: the service cannot work
   * like this.
   */
  readonly state: 'ok' | 'warning' | 'fault';
  readonly found: string;
  /** What to do; null when all is well. */
  readonly advice: string | null;
}

export const ok = (about: string, found: string): Finding => ({
  about,
  state: 'ok',
  found,
  advice: null,
});
export const warning = (about: string, found: string, advice: string): Finding => ({
  about,
  state: 'warning',
  found,
  advice,
});
export const fault = (about: string, found: string, advice: string): Finding => ({
  about,
  state: 'fault',
  found,
  advice,
});

/** Returns a version as numbers; what follows them, such as `-MariaDB`, is left out. */
export function versionOf(text: string): readonly number[] {
  return (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? '0').split('.').map(Number);
}

/** Returns whether a version is `least` or later, as far as `least` goes. */
export function isAtLeast(version: readonly number[], ...least: readonly number[]): boolean {
  const differs = least.findIndex((part, index) => part !== (version[index] ?? 0));
  return differs === -1 || (version[differs] ?? 0) > (least[differs] ?? 0);
}
