import type { CoursesChanges, Video } from './changes';
import {
  inserted,
  newVideo,
  positionOf,
  removed,
  runsOf,
  storedOrder,
  type Piece,
  type Run,
} from './video-order';

/** The videos of one batch in memory, and the order in which they stand. */
export class Playlists {
  /** Videos that commands name, and new ones, with their position at the beginning. */
  private readonly videos = new Map<number, Video>();
  private readonly pieces = new Map<number, Piece>();
  /** The orders of courses whose videos change. */
  private readonly orders = new Map<number, readonly Piece[]>();
  private readonly changed = new Set<number>();
  private readonly gone: number[] = [];

  /** `countOf`: how many stored videos a course has. */
  constructor(private readonly countOf: (courseId: number) => number | undefined) {}

  load(rows: readonly Video[]): void {
    for (const video of rows) {
      this.videos.set(video.id, video);
      this.pieces.set(video.id, { from: video.position, length: 1 });
    }
  }

  evolve({ videos = [], changedVideos = [], removedVideos = [] }: CoursesChanges): void {
    for (const video of videos) this.add(video);
    for (const video of changedVideos) this.change(video);
    for (const video of removedVideos) this.remove(video);
  }

  /** Returns a video of a loaded course. The order of other courses is unknown. */
  video(courseId: number, id: number): Video | undefined {
    const [video, piece] = [this.videos.get(id), this.pieces.get(id)];
    if (video?.courseId !== courseId) return undefined;
    return piece && { ...video, position: positionOf(this.order(video.courseId), piece) };
  }

  pending() {
    const placed = ({ courseId, id }: Video) => this.video(courseId, id) ?? [];
    const videos = [...this.videos.values()];
    const runs = new Map<number, Run[]>();
    for (const [courseId, pieces] of this.orders) runs.set(courseId, runsOf(pieces));
    const isNew = ({ id }: Video) => this.pieces.get(id)?.isNew === true;
    return {
      inserted: videos.filter(isNew).flatMap(placed),
      updated: videos
        .filter((video) => this.changed.has(video.id) && !isNew(video))
        .flatMap(placed),
      /** Ids of stored ones. */
      removed: this.gone,
      /** How the stored videos of a course move. */
      runs,
    };
  }

  /** Ids of the courses whose videos are changed. */
  courses(): Set<number> {
    const changed = [...this.changed].flatMap((id) => this.videos.get(id)?.courseId ?? []);
    return new Set([...this.orders.keys(), ...changed]);
  }

  private order(courseId: number): readonly Piece[] {
    return this.orders.get(courseId) ?? storedOrder(this.countOf(courseId) ?? 0);
  }

  private add(video: Video): void {
    const piece = newVideo(video.id);
    this.videos.set(video.id, video);
    this.pieces.set(video.id, piece);
    this.orders.set(video.courseId, inserted(this.order(video.courseId), video.position, piece));
  }

  private change(video: Video): void {
    const { id, courseId, position } = video;
    const before = this.video(courseId, id)?.position;
    if (before !== undefined && before !== position) {
      const { pieces, video: piece } = removed(this.order(courseId), before);
      this.orders.set(courseId, inserted(pieces, position, piece));
    }
    this.videos.set(id, video);
    this.changed.add(id);
  }

  private remove({ id, courseId, position }: Video): void {
    this.orders.set(courseId, removed(this.order(courseId), position).pieces);
    if (!this.pieces.get(id)?.isNew) this.gone.push(id);
    this.videos.delete(id);
    this.pieces.delete(id);
    this.changed.delete(id);
  }
}
