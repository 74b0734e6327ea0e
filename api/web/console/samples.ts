import { createContext, useContext, useEffect, useState } from 'react';
import type { Schemas } from '../shared/client';
import { listen } from '../shared/stream';
import { loadHistory, type Point } from './calls';
import { withHistory, withPoint } from './points';

export type Sample = Schemas['ConsoleSample'];
export type Partition = Sample['partitions'][number];

export interface Watched {
  /** The latest sample; null before the first. */
  readonly last: Sample | null;
  /** The totals of the last minutes, oldest first. */
  readonly points: readonly Point[];
  /** Why no more samples come; null while they do. */
  readonly error: unknown;
}

const nothing: Watched = { last: null, points: [], error: null };
const Samples = createContext<Watched>(nothing);

/** Gives everything below it the one stream of the page. */
export const WatchedProvider = Samples.Provider;
export const useWatched = (): Watched => useContext(Samples);

/** Keeps the stream open while the component is mounted and `isOpen`. */
export function useSamples(isOpen: boolean): Watched {
  const [watched, setWatched] = useState(nothing);
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = listen(
      '/api/console/stream',
      {},
      {
        take: ({ data }) => {
          const sample = JSON.parse(data) as Sample;
          setWatched(({ points }) => ({
            last: sample,
            points: withPoint(points, { at: sample.at, ...sample.totals }),
            error: null,
          }));
        },
        lost: (error) => {
          setWatched((before) => ({
            ...before,
            error,
          }));
        },
      },
    );
    const over = { isOver: false };
    void loadHistory().then(
      (history) => {
        if (!over.isOver)
          setWatched((before) => ({ ...before, points: withHistory(before.points, history) }));
      },
      // The charts begin now.
      () => undefined,
    );
    return () => {
      over.isOver = true;
      close();
      setWatched(nothing);
    };
  }, [isOpen]);
  return watched;
}
