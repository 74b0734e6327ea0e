import { refused, type Verdict } from '../verdict';
import {
  done,
  type AboutSubscription,
  type CommandOfType,
  type ReferenceCampus,
  type ReferenceSubscription,
} from './reference-campus';

/** The rules of subscriptions, progress and waitlists a second time. */

export function subscribe(campus: ReferenceCampus, command: AboutSubscription, now: Date): Verdict {
  const missing = campus.missing(command);
  if (missing) return missing;
  const { userId, courseId } = command.payload;
  const known = campus.of(command.payload);
  if (known && known.status !== 'cancelled')
    return refused('ALREADY_SUBSCRIBED', { subscriptionId: known.id });
  const course = campus.course(courseId)!;
  if (course.status !== 'open') return refused('COURSE_CLOSED', { courseId });
  if (campus.freeSeats(course) <= 0) return refused('COURSE_FULL', { courseId });
  const subscription = campus.takeUp(course, userId, now);
  return done(campus.shown(subscription), ['subscription.created'], true);
}

export function subscribeMany(
  campus: ReferenceCampus,
  command: CommandOfType<'courses.subscribe-many'>,
  now: Date,
): Verdict {
  const course = campus.managed(command);
  if ('kind' in course) return course;
  const { courseId, userIds } = command.payload;
  if (course.status !== 'open') return refused('COURSE_CLOSED', { courseId });
  const subscribed: ReferenceSubscription[] = [];
  const refusals: { userId: number; code: string }[] = [];
  for (const userId of userIds) {
    const known = campus.of({ userId, courseId });
    if (!campus.people.some(({ id }) => id === userId))
      refusals.push({ userId, code: 'USER_NOT_FOUND' });
    else if (known && known.status !== 'cancelled')
      refusals.push({ userId, code: 'ALREADY_SUBSCRIBED' });
    else if (campus.freeSeats(course) <= 0) refusals.push({ userId, code: 'COURSE_FULL' });
    else subscribed.push(campus.takeUp(course, userId, now));
  }
  return done(
    { subscribed: subscribed.map((one) => campus.shown(one)), refused: refusals },
    subscribed.map(() => 'subscription.created'),
  );
}

export function cancel(campus: ReferenceCampus, command: AboutSubscription, now: Date): Verdict {
  const missing = campus.missing(command);
  if (missing) return missing;
  const known = campus.of(command.payload);
  if (!known || known.status === 'cancelled') return refused('SUBSCRIPTION_NOT_FOUND');
  if (known.status === 'completed')
    return refused('SUBSCRIPTION_COMPLETED', { subscriptionId: known.id });
  Object.assign(known, { status: 'cancelled', modifiedAt: now });
  const promoted = campus.letIn(campus.course(known.courseId)!, now);
  return done(null, ['subscription.cancelled', ...promoted]);
}

export function complete(campus: ReferenceCampus, command: AboutSubscription, now: Date): Verdict {
  const missing = campus.missing(command);
  if (missing) return missing;
  const known = campus.of(command.payload);
  if (!known || known.status === 'cancelled') return refused('SUBSCRIPTION_NOT_FOUND');
  if (known.status === 'completed') return done(campus.shown(known), []);
  Object.assign(known, { status: 'completed', modifiedAt: now, completedAt: now });
  return done(campus.shown(known), ['subscription.completed']);
}

export function completeVideo(
  campus: ReferenceCampus,
  command: CommandOfType<'courses.complete-video' | 'courses.uncomplete-video'>,
  now: Date,
  wanted: boolean,
): Verdict {
  const missing = campus.missing(command);
  if (missing) return missing;
  const { userId, courseId, videoId } = command.payload;
  const known = campus.of({ userId, courseId });
  if (!known || known.status === 'cancelled') return refused('SUBSCRIPTION_NOT_FOUND');
  const { videos, completesAutomatically } = campus.course(courseId)!;
  const video = videos.find(({ id }) => id === videoId);
  if (!video) return refused('VIDEO_NOT_FOUND');
  if (video.completedBy.has(userId) === wanted) return done(campus.shown(known), []);
  if (wanted) video.completedBy.add(userId);
  else video.completedBy.delete(userId);
  known.modifiedAt = now;
  const all = videos.every(({ completedBy }) => completedBy.has(userId));
  if (!completesAutomatically || !all || known.status === 'completed')
    return done(campus.shown(known), ['progress.changed']);
  Object.assign(known, { status: 'completed', completedAt: now });
  return done(campus.shown(known), ['progress.changed', 'subscription.completed']);
}

export function join(campus: ReferenceCampus, command: AboutSubscription, now: Date): Verdict {
  const missing = campus.missing(command);
  if (missing) return missing;
  const { userId, courseId } = command.payload;
  const course = campus.course(courseId)!;
  const known = campus.of(command.payload);
  if (known && known.status !== 'cancelled')
    return refused('ALREADY_SUBSCRIBED', { subscriptionId: known.id });
  if (course.line.some((wait) => wait.userId === userId))
    return refused('ALREADY_WAITING', { courseId });
  if (course.status !== 'open') return refused('COURSE_CLOSED', { courseId });
  if (campus.freeSeats(course) > 0) return refused('SEATS_AVAILABLE', { courseId });
  const id = known?.id ?? campus.next.subscription++;
  course.line.push({ id, userId, createdAt: now });
  const username = campus.people.find((person) => person.id === userId)?.username;
  const position = course.line.length;
  return done(
    { courseId, userId, username, position, createdAt: now.toISOString() },
    ['waitlist.joined'],
    true,
  );
}

export function leave(campus: ReferenceCampus, command: AboutSubscription, now: Date): Verdict {
  const missing = campus.missing(command);
  if (missing) return missing;
  const { userId, courseId } = command.payload;
  const course = campus.course(courseId)!;
  const place = course.line.findIndex((wait) => wait.userId === userId);
  if (place < 0) return refused('WAITLIST_ENTRY_NOT_FOUND');
  course.line.splice(place, 1);
  return done(null, ['waitlist.left', ...campus.letIn(course, now)]);
}
