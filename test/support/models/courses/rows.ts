import assert from 'node:assert/strict';
import type {
  Completion,
  Course,
  Person,
  Subscription,
  Video,
  Wait,
} from '../../../../workers/courses/changes';
import { CoursesState } from '../../../../workers/courses/state';
import { PEOPLE } from './campus';

/**
 * The rows as a database would have them: a batch loads what it needs, and what it leaves is
 * written by the rules of `store.ts`.
 */
export class Rows {
  /** `people`: everybody whom the table `user` has. */
  constructor(private readonly people: readonly Person[] = PEOPLE) {}

  readonly courses = new Map<number, Course>();
  readonly subscriptions = new Map<number, Subscription>();
  readonly videos = new Map<number, Video>();
  readonly completions = new Map<string, Completion>();
  readonly waits = new Map<number, Wait>();

  batch(): CoursesState {
    const state = new CoursesState();
    const subscriptions = [...this.subscriptions.values()].map((one) => ({
      ...one,
      completedVideos: this.completedBy(one).length,
    }));
    state.load({
      users: this.people,
      courses: [...this.courses.values()],
      subscriptions,
      videos: [...this.videos.values()],
      completions: [...this.completions.values()],
      waits: [...this.waits.values()],
    });
    for (const { courseId, status } of subscriptions)
      if (status === 'in_progress') state.loadInProgress(courseId, state.inProgress(courseId) + 1);
    return state;
  }

  commit(state: CoursesState): void {
    const { courses, subscriptions, waits } = state.pending();
    for (const one of [...courses.inserted, ...courses.counted, ...courses.described])
      this.courses.set(one.id, one);
    for (const one of subscriptions.inserted)
      assert(!this.subscriptions.has(one.id), 'inserted twice');
    for (const one of [...subscriptions.inserted, ...subscriptions.updated])
      this.subscriptions.set(one.id, one);
    this.commitVideos(state.pending());
    for (const { id } of waits.deleted) assert(this.waits.delete(id), 'left twice');
    for (const one of waits.inserted) {
      assert(!this.waits.has(one.id), 'waits twice');
      this.waits.set(one.id, one);
    }
  }

  completedBy({ userId, courseId }: { userId: number; courseId: number }): number[] {
    return [...this.completions.values()].flatMap((one) =>
      one.userId === userId && one.courseId === courseId ? [one.videoId] : [],
    );
  }

  private commitVideos({ videos, completions }: ReturnType<CoursesState['pending']>): void {
    for (const one of completions.deleted) this.completions.delete(nameOf(one));
    for (const id of videos.removed) this.remove(id);
    for (const [id, video] of this.videos) {
      const run = videos.runs
        .get(video.courseId)
        ?.find(({ from, to }) => from <= video.position && video.position <= to);
      this.videos.set(id, { ...video, position: video.position + (run?.shift ?? 0) });
    }
    for (const video of videos.updated) {
      // Its place comes from the runs.
      assert.equal(this.videos.get(video.id)?.position, video.position);
      this.videos.set(video.id, video);
    }
    for (const video of videos.inserted) this.videos.set(video.id, video);
    for (const one of completions.inserted) this.completions.set(nameOf(one), one);
  }

  private remove(videoId: number): void {
    assert(this.videos.delete(videoId), 'removed twice');
    for (const [name, one] of this.completions)
      if (one.videoId === videoId) this.completions.delete(name);
  }
}

const nameOf = ({ userId, videoId }: Completion): string => `${userId}:${videoId}`;
