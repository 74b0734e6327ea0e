import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Actor } from '../../../shared/command';
import { COURSE_STATUSES, type CoursesCommand } from '../../../shared/courses/commands';
import type { IdKind } from '../../../workers/batch/service/needs';
import type { Person } from '../../../workers/courses/changes';
import { decideCourses } from '../../../workers/courses/decide';
import {
  admin,
  cancel,
  complete,
  join,
  leave,
  register,
  subscribe,
  subscribeMany,
  updateCourse,
} from '../../support/models/courses/commands';
import { NOW } from '../../support/models/courses/campus';
import { Rows } from '../../support/models/courses/rows';
import { amount } from '../../support/run/amount';

/**
 * One course of five seats and thirty users who want them. What is told as events is all that is
 * looked at: who waits, who was let in, and whether somebody stood before them.
 */

const SEQUENCES = amount(400, 2000);
const USERS = 30;
const SEATS = 5;
const LECTURER = 100;
const COURSE = 1;

const people: Person[] = [...Array.from({ length: USERS }, (_, index) => index + 1), LECTURER].map(
  (id) => ({ id, username: `user-${id}`, role: id === LECTURER ? 'lecturer' : 'user' }),
);
const boss: Actor = admin(LECTURER);

const userId = fc.integer({ min: 1, max: USERS });
const make = { subscribe, cancel, join, leave, complete };
const step: fc.Arbitrary<CoursesCommand> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          ...(['subscribe', 'subscribe', 'cancel', 'cancel', 'cancel'] as const),
          ...(['join', 'join', 'join', 'join', 'leave', 'complete'] as const),
        ),
        userId,
      )
      .map(([kind, id]) => make[kind](COURSE, id)),
  },
  {
    weight: 2,
    arbitrary: fc
      .uniqueArray(userId, { minLength: 1, maxLength: 4 })
      .map((ids) => subscribeMany(boss, COURSE, ids)),
  },
  {
    weight: 2,
    arbitrary: fc
      .option(fc.integer({ min: 1, max: 9 }), { freq: 20 })
      .map((capacity) => updateCourse(boss, COURSE, { capacity })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('open' as const, 'open' as const, ...COURSE_STATUSES)
      .map((status) => updateCourse(boss, COURSE, { status })),
  },
);

interface Told {
  readonly userId: number;
  readonly capacity: number | null;
  readonly status: string;
}

/** The course as somebody knows it who reads the events alone. */
class Watcher {
  private readonly line: number[] = [];
  private readonly seated = new Set<number>();
  private capacity: number | null = SEATS;
  private status = 'open';
  promoted = 0;

  hear(type: string, data: Told): void {
    switch (type) {
      case 'courses.course.updated':
        this.capacity = data.capacity;
        this.status = data.status;
        break;
      case 'courses.waitlist.joined':
        this.line.push(data.userId);
        break;
      case 'courses.waitlist.left':
        assert(this.line.includes(data.userId), 'left without waiting');
        this.line.splice(this.line.indexOf(data.userId), 1);
        break;
      case 'courses.waitlist.promoted':
        assert.equal(this.line.shift(), data.userId, 'let in before who waited longer');
        this.promoted += 1;
        this.seat(data.userId);
        break;
      case 'courses.subscription.created':
        assert.deepStrictEqual(this.line, [], 'let in while others wait');
        this.seat(data.userId);
        break;
      case 'courses.subscription.cancelled':
        assert(this.seated.delete(data.userId), 'cancelled without a seat');
    }
  }

  /** What holds between two commands. */
  check(): void {
    if (this.capacity === null) assert(this.line.length === 0 || this.status !== 'open');
    else {
      assert(this.seated.size <= this.capacity, 'a seat too many');
      const isFree = this.status === 'open' && this.seated.size < this.capacity;
      assert(!isFree || this.line.length === 0, 'somebody waits while a seat is free');
    }
  }

  private seat(id: number): void {
    assert(!this.seated.has(id), 'seated twice');
    assert.equal(this.status, 'open', 'let in while the course is not open');
    this.seated.add(id);
  }
}

it(`lets nobody in before who waited longer, and never one too many (${SEQUENCES} sequences of ${USERS} users)`, () => {
  let promoted = 0;
  const one = fc.record({ command: step, endBatch: fc.nat(4) });
  fc.assert(
    fc.property(fc.array(one, { minLength: 20, maxLength: 120, size: 'max' }), (steps) => {
      const rows = new Rows(people);
      const watcher = new Watcher();
      const ids = new Map<IdKind, number>();
      const takeId = (kind: IdKind) => {
        ids.set(kind, (ids.get(kind) ?? 0) + 1);
        return ids.get(kind)!;
      };
      let state = rows.batch();
      const commands = [{ command: register(boss, LECTURER, SEATS), endBatch: 0 }, ...steps];
      for (const { command, endBatch } of commands) {
        const { decision, changes } = decideCourses(state, command, { now: NOW, takeId });
        state.evolve(changes);
        if (decision.kind === 'done')
          for (const { type, data } of decision.events) watcher.hear(type, data as Told);
        watcher.check();
        if (endBatch > 0) continue;
        rows.commit(state);
        state = rows.batch();
      }
      promoted += watcher.promoted;
    }),
    { numRuns: SEQUENCES },
  );
  // The sequences are worth something only when many are let in.
  expect(promoted).toBeGreaterThan(SEQUENCES);
}, 60_000);
