import { attributesTag } from '../../../../shared/courses/views';
import { refused, type Verdict } from '../verdict';
import {
  done,
  type CommandOfType,
  type ReferenceCampus,
  type ReferenceCourse,
  type ReferenceVideo,
} from './reference-campus';

/** The rules of courses and their videos a second time. */

export function register(
  campus: ReferenceCampus,
  { actor, payload }: CommandOfType<'courses.register-course'>,
  now: Date,
): Verdict {
  const { courseName, userId, capacity, completesAutomatically = false } = payload;
  const own = actor.role === 'lecturer' && actor.userId === userId;
  if (!own && !actor.isAdmin) return refused('FORBIDDEN');
  const person = campus.people.find(({ id }) => id === userId);
  if (!person || (!own && person.role !== 'lecturer')) return refused('LECTURER_REQUIRED');
  const course: ReferenceCourse = {
    ...{ id: campus.next.course++, courseName, userId, capacity, completesAutomatically },
    ...{ status: 'open', videos: [], line: [], createdAt: now, modifiedAt: now },
    isDeleted: false,
  };
  campus.courses.push(course);
  return done(campus.shownCourse(course), ['course.created'], true);
}

export function updateCourse(
  campus: ReferenceCampus,
  command: CommandOfType<'courses.update-course'>,
  now: Date,
): Verdict {
  const course = campus.managed(command);
  if ('kind' in course) return course;
  const { changes, ifMatch } = command.payload;
  if (ifMatch && !ifMatch.includes(attributesTag(course))) return refused('VERSION_MISMATCH');
  const changed = { ...course, ...changes };
  if (attributesTag(changed) === attributesTag(course)) return done(campus.shownCourse(course), []);
  if (changed.capacity !== null && changed.capacity < campus.placesTaken(course.id))
    return refused('CAPACITY_BELOW_SUBSCRIBERS', { courseId: course.id });
  Object.assign(course, changes, { modifiedAt: now });
  const promoted = campus.letIn(course, now);
  return done(campus.shownCourse(course), ['course.updated', ...promoted]);
}

export function deleteCourse(
  campus: ReferenceCampus,
  command: CommandOfType<'courses.delete-course'>,
  now: Date,
): Verdict {
  const course = campus.managed(command);
  if ('kind' in course) return course;
  const { ifMatch } = command.payload;
  if (ifMatch && !ifMatch.includes(attributesTag(course))) return refused('VERSION_MISMATCH');
  const taken = campus.subscriptions.some(
    ({ courseId, status }) => courseId === course.id && status === 'in_progress',
  );
  if (taken) return refused('COURSE_HAS_SUBSCRIBERS', { courseId: course.id });
  Object.assign(course, { isDeleted: true, modifiedAt: now });
  const left = course.line.splice(0).map(() => 'waitlist.left');
  return done(null, ['course.deleted', ...left]);
}

function shownVideo({ videos, id: courseId }: ReferenceCourse, video: ReferenceVideo) {
  const { id, title, url, durationSeconds, createdAt } = video;
  return {
    ...{ videoId: id, courseId, title, url, position: videos.indexOf(video) + 1 },
    ...{ durationSeconds, createdAt: createdAt.toISOString() },
  };
}

export function addVideo(
  campus: ReferenceCampus,
  command: CommandOfType<'courses.add-video'>,
  now: Date,
): Verdict {
  const course = campus.managed(command);
  if ('kind' in course) return course;
  const { title, url, position, durationSeconds } = command.payload;
  if (position !== null && position > course.videos.length + 1) return refused('VALIDATION_FAILED');
  const place = position ?? course.videos.length + 1;
  const video: ReferenceVideo = {
    ...{ id: campus.next.video++, title, url, durationSeconds },
    ...{ createdAt: now, completedBy: new Set() },
  };
  course.videos.splice(place - 1, 0, video);
  course.modifiedAt = now;
  return done(shownVideo(course, video), ['video.added'], true);
}

export function updateVideo(
  campus: ReferenceCampus,
  command: CommandOfType<'courses.update-video'>,
  now: Date,
): Verdict {
  const course = campus.managed(command);
  if ('kind' in course) return course;
  const { videoId, changes } = command.payload;
  const video = course.videos.find(({ id }) => id === videoId);
  if (!video) return refused('VIDEO_NOT_FOUND');
  const { position, ...others } = changes;
  if (position !== undefined && position > course.videos.length)
    return refused('VALIDATION_FAILED');
  const before = JSON.stringify(shownVideo(course, video));
  Object.assign(video, others);
  if (position !== undefined) {
    course.videos.splice(course.videos.indexOf(video), 1);
    course.videos.splice(position - 1, 0, video);
  }
  const after = shownVideo(course, video);
  if (JSON.stringify(after) === before) return done(after, []);
  course.modifiedAt = now;
  return done(after, ['video.updated']);
}

export function deleteVideo(
  campus: ReferenceCampus,
  command: CommandOfType<'courses.delete-video'>,
  now: Date,
): Verdict {
  const course = campus.managed(command);
  if ('kind' in course) return course;
  const place = course.videos.findIndex(({ id }) => id === command.payload.videoId);
  if (place < 0) return refused('VIDEO_NOT_FOUND');
  course.videos.splice(place, 1);
  course.modifiedAt = now;
  return done(null, ['video.deleted']);
}
