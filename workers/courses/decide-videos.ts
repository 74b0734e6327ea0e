import { videoView } from '../../shared/courses/views';
import {
  accept,
  event,
  find,
  isTaken,
  managed,
  noSubscription,
  noVideo,
  refuse,
  shown,
  type Decided,
  type Given,
} from './decided';
import type { Course, Subscription, Video } from './changes';

/** Decisions about the videos of a course, and about who has completed them. */

// The API looks as well, but it has seen the course earlier.
const tooFar = (positionMax: number): Decided =>
  refuse('VALIDATION_FAILED', `position must be at most ${positionMax}.`);

export function addVideo({ state, command, context }: Given<'courses.add-video'>): Decided {
  const { courseId, title, url, durationSeconds, position: wanted } = command.payload;
  const course = managed(state, command.actor, courseId);
  if ('decision' in course) return course;
  const behindLast = course.videoCount + 1;
  const position = wanted ?? behindLast;
  if (position > behindLast) return tooFar(behindLast);
  const id = context.takeId('video');
  const video = { id, courseId, title, url, position, durationSeconds, createdAt: context.now };
  const view = videoView(video);
  const extended: Course = { ...course, videoCount: behindLast, modifiedAt: context.now };
  return accept(
    view,
    { courses: [extended], videos: [video] },
    [event('courses.video.added', courseId, view)],
    true,
  );
}

export function updateVideo({ state, command, context }: Given<'courses.update-video'>): Decided {
  const { courseId, videoId, changes } = command.payload;
  const course = managed(state, command.actor, courseId);
  if ('decision' in course) return course;
  const before = state.video(courseId, videoId);
  if (!before) return noVideo(course, videoId);
  const video: Video = { ...before, ...changes };
  if (video.position > course.videoCount) return tooFar(course.videoCount);
  const view = videoView(video);
  if (JSON.stringify(view) === JSON.stringify(videoView(before))) return accept(view, {}, []);
  return accept(
    view,
    { courses: [{ ...course, modifiedAt: context.now }], changedVideos: [video] },
    [event('courses.video.updated', courseId, view)],
  );
}

export function deleteVideo({ state, command, context }: Given<'courses.delete-video'>): Decided {
  const { courseId, videoId } = command.payload;
  const course = managed(state, command.actor, courseId);
  if ('decision' in course) return course;
  const video = state.video(courseId, videoId);
  if (!video) return noVideo(course, videoId);
  const shortened: Course = {
    ...course,
    videoCount: course.videoCount - 1,
    modifiedAt: context.now,
  };
  return accept(null, { courses: [shortened], removedVideos: [video] }, [
    event('courses.video.deleted', courseId, { videoId, courseId }),
  ]);
}

type CompletionCommand = Given<'courses.complete-video'> | Given<'courses.uncomplete-video'>;

/** Sets whether a user has completed a video. */
function setCompletion(given: CompletionCommand, completed: boolean): Decided {
  const found = find(given);
  if ('decision' in found) return found;
  const { course, subscription: before } = found;
  if (!isTaken(before)) return noSubscription(course);
  const { state, command, context } = given;
  const { courseId, userId, videoId } = command.payload;
  if (!state.video(courseId, videoId)) return noVideo(course, videoId);
  if (state.hasCompleted(userId, videoId) === completed)
    return accept(shown(course, before), {}, []);
  const { now } = context;
  const completedVideos = before.completedVideos + (completed ? 1 : -1);
  const progressed: Subscription = { ...before, completedVideos, modifiedAt: now };
  const ended = endsCourse(course, progressed);
  const subscription: Subscription = ended
    ? { ...progressed, status: 'completed', completedAt: now }
    : progressed;
  const view = shown(course, subscription);
  const completion = { userId, courseId, videoId, completedAt: completed ? now : null };
  return accept(view, { subscriptions: [subscription], completions: [completion] }, [
    event('courses.progress.changed', courseId, { ...view, videoId, completed }),
    ...(ended ? [event('courses.subscription.completed', courseId, view)] : []),
  ]);
}

/** Whether the last video was completed, and completes the course. */
const endsCourse = (course: Course, { status, completedVideos }: Subscription): boolean =>
  course.completesAutomatically &&
  status === 'in_progress' &&
  completedVideos === course.videoCount;

export const completeVideo = (given: Given<'courses.complete-video'>): Decided =>
  setCompletion(given, true);
export const uncompleteVideo = (given: Given<'courses.uncomplete-video'>): Decided =>
  setCompletion(given, false);
