import type { CoursesCommand } from '../../../../shared/courses/commands';
import type { Decision } from '../../../../workers/batch/service/decision';
import type { IdKind } from '../../../../workers/batch/service/needs';
import { decideCourses } from '../../../../workers/courses/decide';
import type { Course, Person, Subscription } from '../../../../workers/courses/changes';
import { CoursesState } from '../../../../workers/courses/state';

/**
 * A state to decide on, as if loaded from the database, and a clock that stands until it is put on.
 */

export const NOW = new Date('2024-02-28T12:00:00.000Z');
export const later = (hours: number): Date => new Date(NOW.getTime() + hours * 3600 * 1000);

/** Users 1 to 4 are users, 5 and 6 are lecturers. There are no others. */
export const PEOPLE: readonly Person[] = [1, 2, 3, 4, 5, 6].map((id) => ({
  id,
  username: `user-${id}`,
  role: id < 5 ? 'user' : 'lecturer',
}));

const COURSE: Course = {
  id: 1,
  courseName: 'Chess',
  userId: 5,
  lecturerName: 'user-5',
  videoCount: 0,
  capacity: null,
  subscriberCount: 0,
  status: 'open',
  completesAutomatically: false,
  waitingCount: 0,
  createdAt: NOW,
  modifiedAt: NOW,
  deletedAt: null,
};

export class Campus {
  readonly state = new CoursesState();
  now = NOW;
  /** Ids above those of the rows that were loaded. */
  private readonly next = new Map<IdKind, number>();

  constructor() {
    this.state.load({ users: PEOPLE });
  }

  /** Decides a command as the next of the batch. */
  decide(given: CoursesCommand): Decision {
    const { decision, changes } = decideCourses(this.state, given, {
      now: this.now,
      takeId: (kind) => this.takeId(kind),
    });
    this.state.evolve(changes);
    return decision;
  }

  /** Decides a command that must succeed, and returns what the client gets. */
  done(given: CoursesCommand): Record<string, unknown> {
    const decision = this.decide(given);
    if (decision.kind !== 'done')
      throw new Error(`${given.type} came to ${JSON.stringify(decision)}`);
    return decision.result as Record<string, unknown>;
  }

  /**
   * Returns the code with which a command is refused and the ids that it names; what else it comes
   * to, in words.
   */
  refusal(given: CoursesCommand): unknown[] {
    const decision = this.decide(given);
    if (decision.kind !== 'refused') return [`not refused but ${decision.kind}`];
    const { code, ids } = decision.refusal;
    return ids ? [code, ids] : [code];
  }

  private takeId(kind: IdKind): number {
    const id = this.next.get(kind) ?? 100;
    this.next.set(kind, id + 1);
    return id;
  }
}

/** Course 1 of lecturer 5. */
export function campusWith(course: Partial<Course> = {}): Campus {
  const campus = new Campus();
  campus.state.load({ courses: [{ ...COURSE, ...course }] });
  return campus;
}

/** The same, and subscription 50 of the user to it. */
export function campusWithSubscription(
  userId: number,
  status: Subscription['status'],
  course: Partial<Course> = {},
): Campus {
  const campus = campusWith({ subscriberCount: status === 'cancelled' ? 0 : 1, ...course });
  const completedAt = status === 'completed' ? NOW : null;
  campus.state.load({
    subscriptions: [
      {
        id: 50,
        userId,
        courseId: 1,
        status,
        createdAt: NOW,
        modifiedAt: NOW,
        completedAt,
        completedVideos: 0,
      },
    ],
  });
  return campus;
}
