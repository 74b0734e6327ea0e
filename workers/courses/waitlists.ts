import type { Wait } from './changes';
import { pairOf } from './pair';

const nameOf = ({ userId, courseId }: Wait): string => pairOf(userId, courseId);

/** The waitlists of one batch in memory, like `CoursesState`. */
export class Waitlists {
  private readonly byPair = new Map<string, Wait>();
  private readonly byCourse = new Map<number, Set<string>>();
  private readonly lastPlaces = new Map<number, number>();
  private readonly stored = new Map<string, Wait>();

  load(rows: readonly Wait[]): void {
    for (const wait of rows) {
      this.stored.set(nameOf(wait), wait);
      this.put(wait);
    }
  }

  /** Loads the last place in a course's line. */
  loadLastPlace(courseId: number, placeNo: number): void {
    this.lastPlaces.set(courseId, placeNo);
  }

  evolve(waits: readonly Wait[], left: readonly Wait[]): void {
    for (const wait of left) {
      this.byPair.delete(nameOf(wait));
      this.byCourse.get(wait.courseId)?.delete(nameOf(wait));
    }
    for (const wait of waits) this.put(wait);
  }

  wait(userId: number, courseId: number): Wait | undefined {
    return this.byPair.get(pairOf(userId, courseId));
  }

  line(courseId: number): readonly Wait[] {
    const waits = [...(this.byCourse.get(courseId) ?? [])].flatMap(
      (pair) => this.byPair.get(pair) ?? [],
    );
    return waits.sort((a, b) => a.placeNo - b.placeNo);
  }

  nextPlaceNo(courseId: number): number {
    return (this.lastPlaces.get(courseId) ?? 0) + 1;
  }

  /** Returns rows to write. A user who left and came back has another place, and so another row. */
  pending(): { deleted: Wait[]; inserted: Wait[] } {
    return {
      deleted: [...this.stored].flatMap(([pair, wait]) =>
        this.byPair.get(pair) === wait ? [] : [wait],
      ),
      inserted: [...this.byPair].flatMap(([pair, wait]) =>
        this.stored.get(pair) === wait ? [] : [wait],
      ),
    };
  }

  private put(wait: Wait): void {
    const { courseId, placeNo } = wait;
    this.byPair.set(nameOf(wait), wait);
    const ofCourse = this.byCourse.get(courseId) ?? new Set();
    this.byCourse.set(courseId, ofCourse.add(nameOf(wait)));
    this.lastPlaces.set(courseId, Math.max(placeNo, this.lastPlaces.get(courseId) ?? 0));
  }
}
