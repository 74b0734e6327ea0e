/** The service in one second; null is unknown. */
interface Point {
  readonly at: string;
  readonly perSecond: number | null;
  readonly depth: number | null;
  readonly oldestAgeMs: number | null;
}

/** How far charts look back, in points of a second. */
const KEPT_MAX = 180;
/** Points that are further apart have a gap between them, milliseconds. */
const GAP_MS = 3000;

const instantOf = ({ at }: Point): number => Date.parse(at);

/** Adds a point, and an empty one when there is a gap before it. */
export function withPoint(points: readonly Point[], point: Point): readonly Point[] {
  const last = points.at(-1);
  const gap =
    last && instantOf(point) - instantOf(last) > GAP_MS
      ? [{ at: last.at, perSecond: null, depth: null, oldestAgeMs: null }]
      : [];
  return [...points, ...gap, point].slice(-KEPT_MAX);
}

/** Puts the history before the first point. It has gaps of its own where nobody watched. */
export function withHistory(points: readonly Point[], history: readonly Point[]): readonly Point[] {
  const first = points[0];
  const before = first ? history.filter((point) => instantOf(point) < instantOf(first)) : history;
  return points.reduce(withPoint, before.reduce(withPoint, []));
}
