import { createContext, useContext, useEffect, useState } from 'react';
import type { Schemas } from '../shared/client';
import { listen } from '../shared/stream';
import { loadHistory, type Point } from './calls';

export type Sample = Schemas['ConsoleSample'];
export type Partition = Sample['partitions'][number];

/** How far charts look back, in points of a second. */
const KEPT_MAX = 180;
/** Between samples that are further apart nothing is known, milliseconds. */
const GAP_MS = 3000;

export interface Watched {
  /** The latest one; null before the first. */
  readonly last: Sample | null;
  /** The totals of the last minutes, oldest first. */
  readonly points: readonly Point[];
  /** Why no more come, null while they do. */
  readonly error: unknown;
}

const nothing: Watched = { last: null, points: [], error: null };
const Samples = createContext<Watched>(nothing);

/** For everything below: one stream for the whole page. */
export const WatchedProvider = Samples.Provider;
export const useWatched = (): Watched => useContext(Samples);

const instantOf = ({ at }: Point): number => Date.parse(at);

/** Adds a point, and one of which nothing is known where there is a gap before it. */
function withPoint(points: readonly Point[], point: Point): readonly Point[] {
  const last = points.at(-1);
  const gap =
    last && instantOf(point) - instantOf(last) > GAP_MS
      ? [{ at: last.at, perSecond: null, depth: null, oldestAgeMs: null }]
      : [];
  return [...points, ...gap, point].slice(-KEPT_MAX);
}

/** What happened before the first point comes before it. */
function withHistory(points: readonly Point[], history: readonly Point[]): readonly Point[] {
  const first = points[0];
  const before = first ? history.filter((point) => instantOf(point) < instantOf(first)) : history;
  return points.length === 0 ? before : points.reduce(withPoint, before);
}

/** Opens the stream, for as long as the component is there and `isOpen`. */
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
