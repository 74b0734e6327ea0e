import { openCampus, type Campus, type Subscription } from '../../support/clients/courses';
import { expectProblem, outcomesOf } from '../../support/clients/problems';

/** Many clients at the same time: the rules hold, and every client gets the business answer. */

let campus: Campus;
beforeAll(async () => {
  campus = await openCampus();
});

const times = <T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

it('30 users for 5 places: five are 201, 25 are 409 COURSE_FULL', async () => {
  const { courseId } = await campus.registered({ capacity: 5 });
  const responses = await times(30, () => campus.subscribe(campus.newReader(), courseId));
  expect(outcomesOf(responses)).toEqual({ 201: 5, '409 COURSE_FULL': 25 });
  for (const response of responses.filter(({ status }) => status === 409))
    expectProblem(response, 409, 'COURSE_FULL', { courseId });
  expect((await campus.detail(courseId)).subscriberCount).toBe(5);
});

it('one user 20 times: one is 201, 19 are 409 ALREADY_SUBSCRIBED with its id', async () => {
  const { courseId } = await campus.registered();
  const reader = campus.newReader();
  const responses = await times(20, (index) =>
    index % 2 === 0
      ? campus.subscribe(reader, courseId)
      : campus.call('post', `/users/${reader.userId}/courses/${courseId}/subscriptions`, {
          token: reader.token,
        }),
  );
  expect(outcomesOf(responses)).toEqual({ 201: 1, '409 ALREADY_SUBSCRIBED': 19 });
  const { subscriptionId } = responses.find(({ status }) => status === 201)!.body as Subscription;
  for (const response of responses.filter(({ status }) => status === 409))
    expectProblem(response, 409, 'ALREADY_SUBSCRIBED', { subscriptionId });
  expect((await campus.detail(courseId)).subscriberCount).toBe(1);
});

it('20 completions of one subscription: all are 200 and tell the same instants', async () => {
  const { courseId } = await campus.registered();
  const reader = campus.newReader();
  await campus.subscribed(reader, courseId);
  const responses = await times(20, () => campus.complete(reader, courseId));
  expect(outcomesOf(responses)).toEqual({ 200: 20 });
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
});

it('a completion and a cancellation: exactly one of them is made', async () => {
  await times(10, async () => {
    const { courseId } = await campus.registered();
    const reader = campus.newReader();
    const { subscriptionId } = await campus.subscribed(reader, courseId);
    const [completed, cancelled] = await Promise.all([
      campus.complete(reader, courseId),
      campus.cancel(reader, courseId),
    ]);
    if (completed.status === 200)
      expectProblem(cancelled, 409, 'SUBSCRIPTION_COMPLETED', { subscriptionId });
    else {
      expect(cancelled.status).toBe(204);
      expectProblem(completed, 404, 'SUBSCRIPTION_NOT_FOUND');
    }
  });
});

it('a storm of subscribing and cancelling never takes more places than there are, and counts right in the end', async () => {
  const { courseId } = await campus.registered({ capacity: 3 });
  let running = true;
  const watch = async () => {
    while (running) expect((await campus.detail(courseId)).subscriberCount).toBeLessThanOrEqual(3);
  };
  const client = async (index: number): Promise<number> => {
    const reader = campus.newReader();
    for (let round = 0; round < 4; round += 1) {
      if ((await campus.subscribe(reader, courseId)).status !== 201) continue;
      // Every tenth client keeps its place.
      if (index % 10 === 0) return 1;
      await campus.cancelled(reader, courseId);
    }
    return 0;
  };
  const watching = watch();
  const kept = await times(30, client).finally(() => {
    running = false;
  });
  await watching;
  expect((await campus.detail(courseId)).subscriberCount).toBe(
    kept.reduce((sum, one) => sum + one, 0),
  );
});
