import type { Completion } from './changes';

/** The completions of one batch in memory, for the users and videos that its commands name. */
export class Completions {
  /** By video, then by user. */
  private readonly byVideo = new Map<number, Map<number, Completion>>();
  private readonly stored = new Set<string>();
  private readonly touched = new Map<string, Completion>();

  load(rows: readonly Completion[]): void {
    for (const row of rows) {
      this.stored.add(keyOf(row));
      this.of(row.videoId).set(row.userId, row);
    }
  }

  evolve(rows: readonly Completion[]): void {
    for (const row of rows) {
      const users = this.of(row.videoId);
      if (row.completedAt) users.set(row.userId, row);
      else users.delete(row.userId);
      this.touched.set(keyOf(row), row);
    }
  }

  has(userId: number, videoId: number): boolean {
    return this.byVideo.get(videoId)?.has(userId) ?? false;
  }

  /** Forgets a video, and returns who had completed it. Its stored rows are deleted with it. */
  forget(videoId: number): number[] {
    const users = [...this.of(videoId).keys()];
    this.byVideo.delete(videoId);
    for (const [key, row] of this.touched) if (row.videoId === videoId) this.touched.delete(key);
    return users;
  }

  pending(): { inserted: Completion[]; deleted: Completion[] } {
    const rows = [...this.touched.values()];
    const isStored = (row: Completion) => this.stored.has(keyOf(row));
    return {
      inserted: rows.filter((row) => row.completedAt && !isStored(row)),
      deleted: rows.filter((row) => !row.completedAt && isStored(row)),
    };
  }

  private of(videoId: number): Map<number, Completion> {
    const users = this.byVideo.get(videoId) ?? new Map<number, Completion>();
    this.byVideo.set(videoId, users);
    return users;
  }
}

const keyOf = ({ userId, videoId }: Completion): string => `${userId}:${videoId}`;
