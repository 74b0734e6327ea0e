import {
  addVideo,
  admin,
  cancel,
  complete,
  lecturer,
  register,
  subscribe,
  user,
} from '../../support/models/courses/commands';
import {
  Campus,
  campusWith,
  campusWithSubscription,
  later,
  NOW,
} from '../../support/models/courses/campus';

describe('registering', () => {
  it('makes the course of the lecturer, and tells it as one event', () => {
    const decision = new Campus().decide(register(lecturer(5), 5, 3));
    const result = {
      ...{
        courseId: 100,
        courseName: 'Chess',
        userId: 5,
        lecturer: { userId: 5, username: 'user-5' },
        videoCount: 0,
        capacity: 3,
        subscriberCount: 0,
        status: 'open',
        completesAutomatically: false,
        waitingCount: 0,
      },
      ...{ createdAt: NOW.toISOString(), modifiedAt: NOW.toISOString() },
    };
    expect(decision).toEqual({
      kind: 'done',
      created: true,
      result,
      events: [{ type: 'courses.course.created', aggregateId: 'course:100', data: result }],
    });
  });

  it('by an administrator is for a known lecturer only', () => {
    const campus = new Campus();
    expect(campus.done(register(admin(), 6))).toMatchObject({ userId: 6 });
    for (const userId of [1, 2, 99])
      expect(campus.refusal(register(admin(), userId))).toEqual(['LECTURER_REQUIRED']);
  });

  it('believes the token of a lecturer whom the table has as a user', () => {
    expect(new Campus().done(register(lecturer(2), 2))).toMatchObject({ userId: 2 });
    expect(new Campus().done(register({ ...lecturer(2), isAdmin: true }, 2))).toMatchObject({
      userId: 2,
    });
  });

  it('is refused for another lecturer, and for a user', () => {
    expect(new Campus().refusal(register(lecturer(5), 6))).toEqual(['FORBIDDEN']);
    expect(new Campus().refusal(register(user(1), 1))).toEqual(['FORBIDDEN']);
    expect(new Campus().refusal(register(user(1), 5))).toEqual(['FORBIDDEN']);
  });
});

describe('adding a video', () => {
  it('puts it behind the last one, counts it and changes the course', () => {
    const campus = campusWith({ videoCount: 2 });
    campus.now = later(1);
    expect(campus.decide(addVideo(lecturer(5), 1))).toMatchObject({
      kind: 'done',
      created: true,
      result: { videoId: 100, courseId: 1, position: 3 },
    });
    expect(campus.state.course(1)).toMatchObject({ videoCount: 3, modifiedAt: later(1) });
    expect(campus.state.pending().videos.runs.get(1)).toEqual([{ from: 1, to: 2, shift: 0 }]);
  });

  it('is published as one event of the course', () => {
    expect(campusWith().decide(addVideo(admin(), 1))).toHaveProperty('events', [
      {
        type: 'courses.video.added',
        aggregateId: 'course:1',
        data: expect.objectContaining({ videoId: 100, position: 1 }),
      },
    ]);
  });

  it('between others moves those behind it, stored or new', () => {
    const campus = campusWith({ videoCount: 2 });
    campus.done(addVideo(admin(), 1, 2));
    campus.done(addVideo(admin(), 1, 2));
    const { inserted, runs } = campus.state.pending().videos;
    expect(inserted.map(({ id, position }) => [id, position])).toEqual([
      [100, 3],
      [101, 2],
    ]);
    expect(runs.get(1)).toEqual([
      { from: 1, to: 1, shift: 0 },
      { from: 2, to: 2, shift: 2 },
    ]);
  });

  it('leaves no gap', () => {
    const campus = campusWith({ videoCount: 2 });
    expect(campus.refusal(addVideo(admin(), 1, 4))).toEqual(['VALIDATION_FAILED']);
    campus.done(addVideo(admin(), 1, 3));
    expect(campus.done(addVideo(admin(), 1, 4))).toMatchObject({ position: 4 });
  });

  it('is for an administrator and the lecturer of the course', () => {
    for (const actor of [user(1), lecturer(6)])
      expect(campusWith().refusal(addVideo(actor, 1))).toEqual(['FORBIDDEN']);
    expect(campusWith().refusal(addVideo(admin(), 2))).toEqual(['COURSE_NOT_FOUND']);
  });
});

describe('subscribing', () => {
  it('creates a subscription in progress, takes a seat and is published as one event', () => {
    const campus = campusWith({ capacity: 2 });
    const result = {
      ...{
        subscriptionId: 100,
        userId: 1,
        courseId: 1,
        courseName: 'Chess',
        status: 'in_progress',
        progress: { completedVideos: 0, totalVideos: 0, percent: 0 },
      },
      ...{ createdAt: NOW.toISOString(), modifiedAt: NOW.toISOString(), completedAt: null },
    };
    const events = [
      { type: 'courses.subscription.created', aggregateId: 'course:1', data: result },
    ];
    expect(campus.decide(subscribe(1, 1))).toEqual({ kind: 'done', created: true, result, events });
    expect(campus.state.course(1)).toMatchObject({ subscriberCount: 1, modifiedAt: NOW });
  });

  it('rejects the second of two in one batch when one place is left', () => {
    const campus = campusWith({ capacity: 1 });
    campus.done(subscribe(1, 1));
    expect(campus.refusal(subscribe(1, 2))).toEqual(['COURSE_FULL', { courseId: 1 }]);
  });

  it('rejects a second one of the same user, before it looks at the places', () => {
    const campus = campusWith({ capacity: 1 });
    campus.done(subscribe(1, 1));
    expect(campus.refusal(subscribe(1, 1))).toEqual([
      'ALREADY_SUBSCRIBED',
      { subscriptionId: 100 },
    ]);
    expect(campusWithSubscription(1, 'completed').refusal(subscribe(1, 1))).toEqual([
      'ALREADY_SUBSCRIBED',
      { subscriptionId: 50 },
    ]);
  });

  it('brings a cancelled one back, when there is a place', () => {
    const campus = campusWithSubscription(1, 'cancelled', { capacity: 1 });
    campus.now = later(1);
    expect(campus.decide(subscribe(1, 1))).toMatchObject({
      ...{ kind: 'done', created: true },
      result: {
        subscriptionId: 50,
        status: 'in_progress',
        createdAt: NOW.toISOString(),
        modifiedAt: later(1).toISOString(),
      },
    });
    expect(campus.state.pending().subscriptions).toMatchObject({
      inserted: [],
      updated: [{ id: 50 }],
    });
    expect(
      campusWithSubscription(1, 'cancelled', { capacity: 1, subscriberCount: 1 }).refusal(
        subscribe(1, 1),
      ),
    ).toEqual(['COURSE_FULL', { courseId: 1 }]);
  });

  it('has no limit without a capacity', () => {
    const campus = campusWith({ subscriberCount: 1_000_000 });
    expect(campus.done(subscribe(1, 1))).toMatchObject({ status: 'in_progress' });
  });

  it.each([subscribe, cancel, complete])('names the missing thing, the user first: %#', (make) => {
    const campus = campusWith();
    expect(campus.refusal(make(2, 99, admin()))).toEqual(['USER_NOT_FOUND']);
    expect(campus.refusal(make(2, 1))).toEqual(['COURSE_NOT_FOUND']);
  });

  it.each([subscribe, cancel, complete])('is for the user and an administrator: %#', (make) => {
    expect(campusWith().refusal(make(1, 1, lecturer(5)))).toEqual(['FORBIDDEN']);
    expect(campusWith().decide(make(1, 1, admin(2)))).not.toMatchObject({
      refusal: { code: 'FORBIDDEN' },
    });
  });
});

describe('cancelling', () => {
  it('frees the seat, and has no result', () => {
    const campus = campusWithSubscription(1, 'in_progress', { capacity: 1 });
    const decision = campus.decide(cancel(1, 1));
    expect(decision).toMatchObject({ kind: 'done', created: false, result: null });
    expect(decision).toHaveProperty('events', [
      {
        type: 'courses.subscription.cancelled',
        aggregateId: 'course:1',
        data: expect.objectContaining({ subscriptionId: 50, status: 'cancelled' }),
      },
    ]);
    expect(campus.done(subscribe(1, 2))).toMatchObject({ userId: 2 });
  });

  it('is refused for none, for a cancelled and for a completed one', () => {
    expect(campusWith().refusal(cancel(1, 1))).toEqual(['SUBSCRIPTION_NOT_FOUND']);
    expect(campusWithSubscription(1, 'cancelled').refusal(cancel(1, 1))).toEqual([
      'SUBSCRIPTION_NOT_FOUND',
    ]);
    expect(campusWithSubscription(1, 'completed').refusal(cancel(1, 1))).toEqual([
      'SUBSCRIPTION_COMPLETED',
      { subscriptionId: 50 },
    ]);
  });
});

describe('completing', () => {
  it('tells when, and keeps the place', () => {
    const campus = campusWithSubscription(1, 'in_progress');
    campus.now = later(1);
    const at = later(1).toISOString();
    expect(campus.decide(complete(1, 1))).toMatchObject({
      kind: 'done',
      created: false,
      result: { subscriptionId: 50, status: 'completed', modifiedAt: at, completedAt: at },
    });
    expect(campus.state.course(1)?.subscriberCount).toBe(1);
  });

  it('again changes nothing and tells no event', () => {
    const campus = campusWithSubscription(1, 'in_progress');
    const first = campus.done(complete(1, 1));
    campus.now = later(1);
    expect(campus.decide(complete(1, 1))).toEqual({
      kind: 'done',
      created: false,
      result: first,
      events: [],
    });
    const stored = campusWithSubscription(1, 'completed');
    expect(stored.decide(complete(1, 1))).toMatchObject({ kind: 'done', events: [] });
    expect(stored.state.pending().subscriptions).toEqual({ inserted: [], updated: [] });
  });

  it('is refused for none and for a cancelled one', () => {
    expect(campusWith().refusal(complete(1, 1))).toEqual(['SUBSCRIPTION_NOT_FOUND']);
    expect(campusWithSubscription(1, 'cancelled').refusal(complete(1, 1))).toEqual([
      'SUBSCRIPTION_NOT_FOUND',
    ]);
  });
});
