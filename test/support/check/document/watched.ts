/** The services whose exchanges are held against their document. */
const origins = new Set<string>();

export function watch(...urls: readonly string[]): void {
  for (const url of urls) origins.add(url);
}

export const isWatched = (origin: string): boolean => origins.has(origin);
