import type { BulkView, SubscriptionView } from '../../shared/courses/views';
import type { DomainEvent } from '../batch/service/decision';
import {
  accept,
  event,
  find,
  isTaken,
  managed,
  noSubscription,
  noUser,
  refuse,
  shown,
  type CoursesDecision,
  type CoursesInput,
} from './decided';
import { counted, letIn, seatRefusal, closed, takenUp } from './seats';
import type { Course, Subscription } from './changes';

/** Decisions about subscriptions. */

export function subscribe(input: CoursesInput<'courses.subscribe'>): CoursesDecision {
  const { state, command, context } = input;
  const found = find(input);
  if ('decision' in found) return found;
  const { course, subscription: before } = found;
  const courseId = course.id;
  const { userId } = command.payload;
  if (state.user(userId)?.isErased) return noUser(userId);
  if (isTaken(before)) {
    return refuse('ALREADY_SUBSCRIBED', `You are already subscribed to course ${courseId}.`, {
      subscriptionId: before.id,
    });
  }
  const refusal = seatRefusal(course);
  if (refusal) return refusal;
  const subscription = takenUp(before, command.payload, context.now, () =>
    context.takeId('subscription'),
  );
  const view = shown(course, subscription);
  return accept(
    view,
    { courses: [counted(course, 1)], subscriptions: [subscription] },
    [event('courses.subscription.created', courseId, view)],
    true,
  );
}

export function cancelSubscription(
  input: CoursesInput<'courses.cancel-subscription'>,
): CoursesDecision {
  const found = find(input);
  if ('decision' in found) return found;
  const { course: before, subscription: open } = found;
  if (!isTaken(open)) return noSubscription(before);
  if (open.status === 'completed') {
    return refuse(
      'SUBSCRIPTION_COMPLETED',
      `Course ${before.id} is completed, so the subscription cannot be cancelled.`,
      { subscriptionId: open.id },
    );
  }
  const { state, context } = input;
  const cancelled: Subscription = { ...open, status: 'cancelled', modifiedAt: context.now };
  const { course, subscriptions, left, events } = letIn(state, counted(before, -1), context.now);
  return accept(null, { courses: [course], subscriptions: [cancelled, ...subscriptions], left }, [
    event('courses.subscription.cancelled', course.id, shown(course, cancelled)),
    ...events,
  ]);
}

export function completeSubscription(
  input: CoursesInput<'courses.complete-subscription'>,
): CoursesDecision {
  const found = find(input);
  if ('decision' in found) return found;
  const { course, subscription: before } = found;
  if (!isTaken(before)) return noSubscription(course);
  if (before.status === 'completed') return accept(shown(course, before), {}, []);
  const { now } = input.context;
  const subscription: Subscription = {
    ...before,
    status: 'completed',
    modifiedAt: now,
    completedAt: now,
  };
  const view = shown(course, subscription);
  return accept(view, { subscriptions: [subscription] }, [
    event('courses.subscription.completed', course.id, view),
  ]);
}

/** Subscribes users in the order of the list, as many as there are seats. */
export function subscribeMany({
  state,
  command,
  context,
}: CoursesInput<'courses.subscribe-many'>): CoursesDecision {
  const { courseId, userIds } = command.payload;
  const before = managed(state, command.actor, courseId);
  if ('decision' in before) return before;
  if (before.status !== 'open') return closed(before);
  let course: Course = before;
  const subscriptions: Subscription[] = [];
  const refused: { userId: number; code: string }[] = [];
  for (const userId of userIds) {
    const user = state.user(userId);
    const known = state.subscription(userId, courseId);
    if (!user || user.isErased) refused.push({ userId, code: 'USER_NOT_FOUND' });
    else if (isTaken(known)) refused.push({ userId, code: 'ALREADY_SUBSCRIBED' });
    else if (seatRefusal(course)) refused.push({ userId, code: 'COURSE_FULL' });
    else {
      const whose = { userId, courseId };
      subscriptions.push(takenUp(known, whose, context.now, () => context.takeId('subscription')));
      course = counted(course, 1);
    }
  }
  const subscribed: SubscriptionView[] = subscriptions.map((one) => shown(course, one));
  const events: DomainEvent[] = subscribed.map((view) =>
    event('courses.subscription.created', courseId, view),
  );
  const changes = subscriptions.length > 0 ? { courses: [course], subscriptions } : {};
  return accept({ subscribed, refused } satisfies BulkView, changes, events);
}
