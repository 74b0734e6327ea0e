import fc from 'fast-check';
import type { Actor } from '../../../shared/command';
import type { CoursesCommand } from '../../../shared/courses/commands';
import type { Person } from '../../../workers/courses/state';
import { addVideo, admin, cancel, complete, lecturer, register, subscribe, user } from './commands';
import type { Reference } from './reference';

/**
 * Random commands of courses. A step picks people and courses by number; whom and which a number
 * means is found out when the step's turn comes, so that most commands hit something that is there.
 */

/** An id that nothing has. */
const NOBODY = 2 ** 50;

const make = { subscribe, cancel, complete };
const tokens = { admin, lecturer, user };

const sender = fc.record({
  person: fc.nat(5),
  token: fc.constantFrom(...(Object.keys(tokens) as (keyof typeof tokens)[])),
});
/** The last two people are lecturers. */
const lecturingSender = fc.record({
  person: fc.constantFrom(4, 5, 0),
  token: sender.map(({ token }) => token),
});
/** Number 6 is nobody. */
const named = fc.nat(6);
/** Most commands are about the first courses; the last is not there. */
const course = fc.constantFrom(0, 0, 0, 1, 1, 2, 99);

const about = fc.record({
  kind: fc.constantFrom(
    'subscribe' as const,
    'subscribe' as const,
    'subscribe' as const,
    'cancel' as const,
    'cancel' as const,
    'complete' as const,
    'complete' as const,
  ),
  ...{ course, named },
  /** Null: by the user themself. */
  by: fc.option(sender, { freq: 6 }),
});
const registering = fc.record({
  kind: fc.constant('register' as const),
  named: fc.option(named),
  by: lecturingSender,
  capacity: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 4 }),
});
const adding = fc.record({
  kind: fc.constant('add' as const),
  course,
  by: lecturingSender,
  position: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 4 }),
});

export type CourseStep =
  typeof about | typeof registering | typeof adding extends fc.Arbitrary<infer Value>
    ? Value
    : never;
export const courseStep: fc.Arbitrary<CourseStep> = fc.oneof(
  { weight: 20, arbitrary: about },
  { weight: 3, arbitrary: registering },
  { weight: 8, arbitrary: adding },
);

/** `people`: six, the last two of them lecturers. */
export function courseCommand(
  step: CourseStep,
  people: readonly Person[],
  reference: Reference,
): CoursesCommand {
  const idOf = (number: number): number => people[number]?.id ?? NOBODY;
  const actorOf = ({ person, token }: { person: number; token: keyof typeof tokens }): Actor =>
    tokens[token](idOf(person));
  if (step.kind === 'register')
    return register(actorOf(step.by), idOf(step.named ?? step.by.person), step.capacity);
  const courseId = reference.courses[step.course]?.id ?? NOBODY;
  if (step.kind === 'add') return addVideo(actorOf(step.by), courseId, step.position);
  return make[step.kind](
    courseId,
    step.by ? idOf(step.named) : idOf(step.named % 6),
    step.by ? actorOf(step.by) : undefined,
  );
}
