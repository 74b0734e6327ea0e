import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { CoursesCommand } from '../../../shared/courses/commands';
import type { IdKind } from '../../../workers/batch/service/needs';
import { decideCourses } from '../../../workers/courses/decide';
import { coursesViews } from '../../../workers/courses/subjects';
import { assertInvalidatedAgain } from '../../support/models/stale-views';
import { allEnds, endOf, verdictOf, type Verdict } from '../../support/models/verdict';
import { PEOPLE } from '../../support/models/courses/campus';
import { Reference } from '../../support/models/courses/reference';
import { Rows } from '../../support/models/courses/rows';
import { courseCommand, courseStep, openingSteps } from '../../support/models/courses/steps';
import { amount } from '../../support/run/amount';

const SEQUENCES = amount(600, 3000);
const MORE_ROUNDS = 5;
const HOUR_MS = 3600 * 1000;

/** A batch that is under way, the rows, and the reference, all fed with the same commands. */
class System {
  readonly reference = new Reference(PEOPLE);
  readonly rows = new Rows();
  state = this.rows.batch();
  /** Of the batch. */
  private commands = 0;
  private readonly next = new Map<IdKind, number>();

  carryOut(command: CoursesCommand, now: Date): Verdict {
    const decided = decideCourses(this.state, command, {
      now,
      takeId: (kind) => this.takeId(kind),
    });
    this.state.evolve(decided.changes);
    if (this.commands === 0)
      assertInvalidatedAgain(coursesViews, this.state, command, decided.decision);
    this.commands += 1;
    return verdictOf(decided.decision);
  }

  endBatch(): void {
    this.rows.commit(this.state);
    this.state = this.rows.batch();
    this.commands = 0;
  }

  /** The rules that hold whatever is done, looked up in what a database would hold. */
  assertRows(): void {
    const { courses, subscriptions } = this.reference;
    assert.deepStrictEqual(
      [...this.rows.courses.keys()],
      courses.map(({ id }) => id),
    );
    for (const course of courses) {
      const { id, capacity, videos, line, modifiedAt, isDeleted, status } = course;
      const row = this.rows.courses.get(id);
      assert.deepStrictEqual(
        [row?.subscriberCount, row?.videoCount, row?.waitingCount, row?.modifiedAt],
        [this.reference.placesTaken(id), videos.length, line.length, modifiedAt],
      );
      assert.deepStrictEqual([row?.status, row?.deletedAt !== null], [status, isDeleted]);
      const taken = row?.subscriberCount ?? 0;
      assert(taken <= (capacity ?? Infinity), 'more subscriptions than places');
      const waits = line.length > 0 && status === 'open';
      assert(!waits || taken === capacity, 'somebody waits while a seat is free');
      const placed = [...this.rows.videos.values()]
        .filter(({ courseId }) => courseId === id)
        .sort((a, b) => a.position - b.position);
      assert.deepStrictEqual(
        placed.map(({ id: videoId, position, title }) => [videoId, position, title]),
        videos.map(({ id: videoId, title }, index) => [videoId, index + 1, title]),
      );
      const waiting = [...this.rows.waits.values()]
        .filter(({ courseId }) => courseId === id)
        .sort((a, b) => a.placeNo - b.placeNo);
      assert.deepStrictEqual(
        waiting.map(({ userId }) => userId),
        line.map(({ userId }) => userId),
      );
      for (const { userId } of this.reference.subscriptions.filter((one) => one.courseId === id)) {
        const completed = videos.filter(({ completedBy }) => completedBy.has(userId));
        assert.deepStrictEqual(
          new Set(this.rows.completedBy({ userId, courseId: id })),
          new Set(completed.map((video) => video.id)),
        );
      }
    }
    const statuses = (rows: Iterable<{ id: number; status: string; modifiedAt: Date }>) =>
      [...rows].map(({ id, status, modifiedAt }) => [id, status, modifiedAt]);
    assert.deepStrictEqual(statuses(this.rows.subscriptions.values()), statuses(subscriptions));
  }

  private takeId(kind: IdKind): number {
    const id = this.next.get(kind) ?? 1;
    this.next.set(kind, id + 1);
    return id;
  }
}

const step = fc.record({ step: courseStep, hours: fc.nat(2), endBatch: fc.nat(4) });
const sequence = fc
  .tuple(openingSteps, fc.array(step, { minLength: 1, maxLength: 50, size: 'max' }))
  .map(([opening, steps]) => [
    ...opening.map((one) => ({ step: one, hours: 0, endBatch: 1 })),
    ...steps,
  ]);

describe('courses against the reference', () => {
  it(`decides ${SEQUENCES} random sequences of commands like the reference, and leaves the right rows however they fall into batches`, () => {
    const ends = new Set<string>();
    const sequences = () => {
      fc.assert(
        fc.property(sequence, (steps) => {
          const system = new System();
          let now = Date.parse('2024-02-28T12:00:00Z');
          for (const { step: one, hours, endBatch } of steps) {
            now += hours * HOUR_MS;
            const given = courseCommand(one, PEOPLE, system.reference);
            const expected = system.reference.decide(given, new Date(now));
            const verdict = system.carryOut(given, new Date(now));
            assert.deepStrictEqual(verdict, expected);
            ends.add(endOf(given.type, verdict));
            if (endBatch > 0) continue;
            system.endBatch();
            system.assertRows();
          }
          system.endBatch();
          system.assertRows();
        }),
        { numRuns: SEQUENCES },
      );
    };
    sequences();
    // The sequences are worth something only when they come by every rule; a rare one may take some
    // more of them.
    for (let more = 0; more < MORE_ROUNDS && ends.size < EVERY_END.length; more += 1) sequences();
    expect([...ends].sort()).toEqual(EVERY_END);
  }, 60_000);
});

const ABOUT_SUBSCRIPTIONS = ['COURSE_NOT_FOUND', 'FORBIDDEN', 'USER_NOT_FOUND', 'done'];
const MANAGED = ['COURSE_NOT_FOUND', 'FORBIDDEN', 'done'];
/** Each way in which a command can end. */
const ENDS: Readonly<Record<CoursesCommand['type'], readonly string[]>> = {
  'courses.register-course': ['FORBIDDEN', 'LECTURER_REQUIRED', 'done'],
  'courses.update-course': ['CAPACITY_BELOW_SUBSCRIBERS', 'VERSION_MISMATCH', ...MANAGED],
  'courses.delete-course': ['COURSE_HAS_SUBSCRIBERS', 'VERSION_MISMATCH', ...MANAGED],
  'courses.add-video': ['VALIDATION_FAILED', ...MANAGED],
  'courses.update-video': ['VALIDATION_FAILED', 'VIDEO_NOT_FOUND', ...MANAGED],
  'courses.delete-video': ['VIDEO_NOT_FOUND', ...MANAGED],
  'courses.subscribe': [
    'ALREADY_SUBSCRIBED',
    'COURSE_CLOSED',
    'COURSE_FULL',
    ...ABOUT_SUBSCRIPTIONS,
  ],
  'courses.cancel-subscription': [
    'SUBSCRIPTION_COMPLETED',
    'SUBSCRIPTION_NOT_FOUND',
    ...ABOUT_SUBSCRIPTIONS,
  ],
  'courses.complete-subscription': ['SUBSCRIPTION_NOT_FOUND', ...ABOUT_SUBSCRIPTIONS],
  'courses.subscribe-many': ['COURSE_CLOSED', ...MANAGED],
  'courses.complete-video': ['SUBSCRIPTION_NOT_FOUND', 'VIDEO_NOT_FOUND', ...ABOUT_SUBSCRIPTIONS],
  'courses.uncomplete-video': ['SUBSCRIPTION_NOT_FOUND', 'VIDEO_NOT_FOUND', ...ABOUT_SUBSCRIPTIONS],
  'courses.join-waitlist': [
    'ALREADY_SUBSCRIBED',
    'ALREADY_WAITING',
    'COURSE_CLOSED',
    'SEATS_AVAILABLE',
    ...ABOUT_SUBSCRIPTIONS,
  ],
  'courses.leave-waitlist': ['WAITLIST_ENTRY_NOT_FOUND', ...ABOUT_SUBSCRIPTIONS],
};
const EVERY_END = allEnds(ENDS);
