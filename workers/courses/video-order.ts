/**
 * Where the stored videos of a course go when others are put between them, without looking at the
 * videos: those that stand next to each other mostly move by the same number of places, so that a
 * few runs say it for all.
 */
export interface Run {
  /** First and last position as stored. */
  readonly from: number;
  readonly to: number;
  /** By how many places the run moves up. */
  readonly shift: number;
}

/** The runs of a course with `count` stored videos, before anything is inserted. */
export function storedRuns(count: number): Run[] {
  return count === 0 ? [] : [{ from: 1, to: count, shift: 0 }];
}

/**
 * The runs after a video was inserted at a position: whatever stands there or behind it moves up by
 * one.
 */
export function runsAfter(runs: readonly Run[], position: number): Run[] {
  return runs.flatMap(({ from, to, shift }) => {
    // The first stored position of the run that has to move.
    const first = Math.max(from, position - shift);
    if (first > to) return [{ from, to, shift }];
    const moved = { from: first, to, shift: shift + 1 };
    return first === from ? [moved] : [{ from, to: first - 1, shift }, moved];
  });
}
