import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { CoursesCommand } from '../../../shared/courses/commands';
import type { IdKind } from '../../../workers/batch/needs';
import { decideCourses } from '../../../workers/courses/decide';
import { CoursesState, type Course, type Subscription } from '../../../workers/courses/state';
import { endOf, verdictOf, type Verdict } from '../verdict';
import { PEOPLE } from './campus';
import { Reference } from './reference';
import { courseCommand, courseStep } from './steps';

const SEQUENCES = 3000;
const MORE_ROUNDS = 5;
const HOUR_MS = 3600 * 1000;

/**
 * The rows as a database would have them: a batch loads what it needs, and what it leaves is
 * written by the rules of `store.ts`.
 */
class Rows {
  readonly courses = new Map<number, Course>();
  readonly subscriptions = new Map<number, Subscription>();
  readonly videos = new Map<number, { courseId: number; position: number }>();

  batch(): CoursesState {
    const state = new CoursesState();
    state.load({
      users: PEOPLE,
      courses: [...this.courses.values()],
      subscriptions: [...this.subscriptions.values()],
    });
    return state;
  }

  commit(state: CoursesState): void {
    const { courses, subscriptions, videos } = state.pending();
    for (const one of [...courses.inserted, ...courses.updated]) this.courses.set(one.id, one);
    for (const one of subscriptions.inserted)
      assert(!this.subscriptions.has(one.id), 'inserted twice');
    for (const one of [...subscriptions.inserted, ...subscriptions.updated])
      this.subscriptions.set(one.id, one);
    for (const video of this.videos.values()) {
      const run = videos.runs
        .get(video.courseId)
        ?.find(({ from, to }) => from <= video.position && video.position <= to);
      video.position += run?.shift ?? 0;
    }
    for (const { id, courseId, position } of videos.inserted)
      this.videos.set(id, { courseId, position });
  }
}

/** A batch that is under way, the rows, and the reference, all fed with the same commands. */
class System {
  readonly reference = new Reference(PEOPLE);
  readonly rows = new Rows();
  state = this.rows.batch();
  private readonly next = new Map<IdKind, number>();

  carryOut(command: CoursesCommand, now: Date): Verdict {
    const decided = decideCourses(this.state, command, {
      now,
      takeId: (kind) => this.takeId(kind),
    });
    this.state.evolve(decided.changes);
    return verdictOf(decided.decision);
  }

  endBatch(): void {
    this.rows.commit(this.state);
    this.state = this.rows.batch();
  }

  /** The rules that hold whatever is done, looked up in what a database would hold. */
  assertRows(): void {
    const { courses, subscriptions } = this.reference;
    assert.deepStrictEqual(
      [...this.rows.courses.keys()],
      courses.map(({ id }) => id),
    );
    for (const { id, capacity, videos, modifiedAt } of courses) {
      const row = this.rows.courses.get(id);
      assert.deepStrictEqual(
        [row?.subscriberCount, row?.videoCount, row?.modifiedAt],
        [this.reference.placesTaken(id), videos.length, modifiedAt],
      );
      assert(
        (row?.subscriberCount ?? 0) <= (capacity ?? Infinity),
        'more subscriptions than places',
      );
      const placed = [...this.rows.videos]
        .filter(([, { courseId }]) => courseId === id)
        .sort(([, a], [, b]) => a.position - b.position);
      assert.deepStrictEqual(
        placed.map(([videoId, { position }]) => [videoId, position]),
        videos.map((videoId, index) => [videoId, index + 1]),
      );
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

describe('courses against the reference', () => {
  it(`decides ${SEQUENCES} random sequences of commands like the reference, and leaves the right rows however they fall into batches`, () => {
    const ends = new Set<string>();
    const sequences = () => {
      fc.assert(
        fc.property(fc.array(step, { minLength: 1, maxLength: 50, size: 'max' }), (steps) => {
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
/** Each way in which a command can end. */
const EVERY_END = [
  ...['FORBIDDEN', 'LECTURER_REQUIRED', 'done'].map((end) => `courses.register-course ${end}`),
  ...['COURSE_NOT_FOUND', 'FORBIDDEN', 'VALIDATION_FAILED', 'done'].map(
    (end) => `courses.add-video ${end}`,
  ),
  ...['ALREADY_SUBSCRIBED', 'COURSE_FULL', ...ABOUT_SUBSCRIPTIONS].map(
    (end) => `courses.subscribe ${end}`,
  ),
  ...['SUBSCRIPTION_COMPLETED', 'SUBSCRIPTION_NOT_FOUND', ...ABOUT_SUBSCRIPTIONS].map(
    (end) => `courses.cancel-subscription ${end}`,
  ),
  ...['SUBSCRIPTION_NOT_FOUND', ...ABOUT_SUBSCRIPTIONS].map(
    (end) => `courses.complete-subscription ${end}`,
  ),
].sort();
