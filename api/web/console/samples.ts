import { createContext, useContext, useEffect, useState } from 'react';
import type { Schemas } from '../shared/client';
import { listen } from '../shared/stream';

export type Sample = Schemas['ConsoleSample'];

/** How far charts look back, in samples of a second. */
const KEPT_MAX = 180;

export interface Watched {
  /** The latest ones, oldest first. */
  readonly samples: readonly Sample[];
  /** Why no more come, null while they do. */
  readonly error: unknown;
}

const nothing: Watched = { samples: [], error: null };
const Samples = createContext<Watched>(nothing);

/** For everything below: one stream for the whole page. */
export const WatchedProvider = Samples.Provider;
export const useWatched = (): Watched => useContext(Samples);

/** Opens the stream, for as long as the component is there. */
export function useSamples(): Watched {
  const [watched, setWatched] = useState(nothing);
  useEffect(
    () =>
      listen('/api/console/stream', {
        take: ({ data }) => {
          const sample = JSON.parse(data) as Sample;
          setWatched(({ samples }) => ({
            samples: [...samples.slice(1 - KEPT_MAX), sample],
            error: null,
          }));
        },
        opened: () => undefined,
        lost: (error) => {
          setWatched(({ samples }) => ({
            samples,
            error: error ?? new Error('the stream has ended'),
          }));
        },
      }),
    [],
  );
  return watched;
}
