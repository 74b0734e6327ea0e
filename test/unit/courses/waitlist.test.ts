import { WAITLIST_MAX } from '../../../shared/courses/commands';
import {
  campusWith,
  campusWithSubscription,
  NOW,
  PEOPLE,
  type Campus,
} from '../../support/models/courses/campus';
import {
  admin,
  cancel,
  join,
  leave,
  subscribe,
  updateCourse,
} from '../../support/models/courses/commands';

const wait = (campus: Campus, userId: number, placeNo: number) => {
  campus.state.load({
    waits: [
      {
        ...{ id: 70 + userId, courseId: 1, userId, username: `user-${userId}`, placeNo },
        createdAt: NOW,
      },
    ],
  });
};

/** A full course of user 1, for which users 2 and 3 wait. */
function queued(): Campus {
  const campus = campusWithSubscription(1, 'in_progress', { capacity: 1, waitingCount: 2 });
  wait(campus, 2, 4);
  wait(campus, 3, 9);
  return campus;
}

it('gives a seat that comes free to the first of the line, in one decision with its events', () => {
  const campus = queued();
  expect(campus.decide(cancel(1, 1))).toMatchObject({
    kind: 'done',
    events: [
      { type: 'courses.subscription.cancelled', data: { userId: 1 } },
      {
        type: 'courses.waitlist.promoted',
        data: { subscriptionId: 72, userId: 2, status: 'in_progress' },
      },
    ],
    subjects: ['courses:user-courses:2'],
  });
  expect(campus.state.course(1)).toMatchObject({ subscriberCount: 1, waitingCount: 1 });
  expect(campus.state.line(1).map(({ userId }) => userId)).toEqual([3]);
  expect(campus.refusal(subscribe(1, 4))).toEqual(['COURSE_FULL', { courseId: 1 }]);
});

it('passes over erased users, and removes them', () => {
  const campus = queued();
  campus.state.load({ users: PEOPLE.map((one) => ({ ...one, isErased: one.id === 2 })) });
  campus.done(cancel(1, 1));
  expect(campus.state.subscription(2, 1)).toBeUndefined();
  expect(campus.state.subscription(3, 1)).toMatchObject({ status: 'in_progress' });
  expect(campus.state.course(1)).toMatchObject({ subscriberCount: 1, waitingCount: 0 });
});

it('gives no seat to new users before the waitlist, even when one is free', () => {
  const campus = campusWith({ capacity: 2, subscriberCount: 1, waitingCount: 1 });
  wait(campus, 2, 1);
  expect(campus.refusal(subscribe(1, 4))).toEqual(['COURSE_FULL', { courseId: 1 }]);
});

it('keeps the line of a closed course, and moves it when the course opens', () => {
  const campus = queued();
  campus.done(updateCourse(admin(), 1, { status: 'closed' }));
  campus.done(cancel(1, 1));
  expect(campus.state.line(1)).toHaveLength(2);
  expect(campus.done(updateCourse(admin(), 1, { status: 'open' }))).toMatchObject({
    subscriberCount: 1,
    waitingCount: 1,
  });
});

it('gives the last place, also to a user who left and came back', () => {
  const campus = queued();
  campus.state.waitlists.loadLastPlace(1, 9);
  campus.done(leave(1, 2));
  expect(campus.done(join(1, 2))).toMatchObject({ position: 2 });
  expect(campus.state.line(1).map(({ userId, placeNo }) => [userId, placeNo])).toEqual([
    [3, 9],
    [2, 10],
  ]);
  const { deleted, inserted } = campus.state.pending().waits;
  expect([deleted.map(({ id }) => id), inserted.map(({ placeNo }) => placeNo)]).toEqual([
    [72],
    [10],
  ]);
});

it(`is full with ${WAITLIST_MAX} users`, () => {
  const full = { capacity: 1, subscriberCount: 1, waitingCount: WAITLIST_MAX };
  expect(campusWith(full).refusal(join(1, 2))).toEqual(['WAITLIST_FULL', { courseId: 1 }]);
  const last = { ...full, waitingCount: WAITLIST_MAX - 1 };
  expect(campusWith(last).done(join(1, 2))).toMatchObject({ position: WAITLIST_MAX });
});

it('refuses an erased user', () => {
  const campus = campusWith({ capacity: 1, subscriberCount: 1 });
  campus.state.load({ users: PEOPLE.map((one) => ({ ...one, isErased: one.id === 2 })) });
  expect(campus.refusal(join(1, 2))).toEqual(['USER_NOT_FOUND']);
});
