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
  type CoursesDecision,
  type CoursesInput,
} from './decided';
import type { Course, Subscription, Video } from './changes';

/** Decisions about the videos of a course, and about their completions. */

// The API checks this as well, on an earlier state of the course.
const tooFar = (positionMax: number): CoursesDecision =>
  refuse('VALIDATION_FAILED', `position must be at most ${positionMax}.`);

export function addVideo({
  state,
  command,
  context,
}: CoursesInput<'courses.add-video'>): CoursesDecision {
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

export function updateVideo({
  state,
  command,
  context,
}: CoursesInput<'courses.update-video'>): CoursesDecision {
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

export function deleteVideo({
  state,
  command,
  context,
}: CoursesInput<'courses.delete-video'>): CoursesDecision {
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

type CompletionCommand =
  | CoursesInput<'courses.complete-video'>
  | CoursesInput<'courses.uncomplete-video'>;

/** Sets whether a user has completed a video. */
function setCompletion(input: CompletionCommand, completed: boolean): CoursesDecision {
  const found = find(input);
  if ('decision' in found) return found;
  const { course, subscription: before } = found;
  if (!isTaken(before)) return noSubscription(course);
  const { state, command, context } = input;
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

/** Returns whether the last video was completed and completes the course. */
const endsCourse = (course: Course, { status, completedVideos }: Subscription): boolean =>
  course.completesAutomatically &&
  status === 'in_progress' &&
  completedVideos === course.videoCount;

export const completeVideo = (input: CoursesInput<'courses.complete-video'>): CoursesDecision =>
  setCompletion(input, true);
export const uncompleteVideo = (input: CoursesInput<'courses.uncomplete-video'>): CoursesDecision =>
  setCompletion(input, false);
