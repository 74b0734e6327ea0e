import fc from 'fast-check';
import type { Actor } from '../../../../shared/command';
import { COURSE_STATUSES, type CoursesCommand } from '../../../../shared/courses/commands';
import { attributesTag } from '../../../../shared/courses/views';
import type { Person } from '../../../../workers/courses/changes';
import {
  addVideo,
  admin,
  cancel,
  complete,
  completeVideo,
  deleteCourse,
  deleteVideo,
  join,
  leave,
  lecturer,
  register,
  subscribe,
  subscribeMany,
  uncompleteVideo,
  updateCourse,
  updateVideo,
  user,
} from './commands';
import type { Reference } from './reference';

/**
 * Random commands of courses. A step picks people, courses and videos by number; whom and which a
 * number means is found out when the step's turn comes, so that most commands hit something that is
 * there.
 */

/** An id that nothing has. */
const NOBODY = 2 ** 50;

const make = { subscribe, cancel, complete, join, leave };
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
/** Null: by the user themself. */
const by = fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: sender });
/** User 6 does not exist. */
const named = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4, 5, 6);
/** Most commands are about the first courses; the last is not there. */
const course = fc.constantFrom(0, 0, 0, 1, 1, 2, 99);
/** The last two: a video of another course, and one that does not exist. */
const video = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, -1, 99);
const capacity = fc.option(fc.integer({ min: 1, max: 3 }), { freq: 4 });
const hasSome = (changes: object): boolean => Object.keys(changes).length > 0;
/** What If-Match names, null for nothing. */
const match = fc.constantFrom(null, null, null, 'present' as const, 'old' as const);

const kindOf = <Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);
const about = fc.record({
  kind: kindOf(
    ...(['subscribe', 'subscribe', 'subscribe', 'cancel', 'cancel', 'cancel'] as const),
    ...(['complete', 'complete', 'join', 'join', 'join', 'leave'] as const),
  ),
  ...{ course, named, by },
});
const watching = fc.record({
  kind: kindOf('watch', 'watch', 'watch', 'unwatch'),
  ...{ course, named, video, by },
});
const registering = fc.record({
  kind: kindOf('register'),
  named: fc.option(named),
  by: lecturingSender,
  capacity,
});
const updating = fc.record({
  kind: kindOf('update'),
  ...{ course, by: lecturingSender, match },
  changes: fc
    .record(
      {
        courseName: fc.constantFrom('Chess', 'Go'),
        capacity,
        status: fc.constantFrom('open' as const, 'open' as const, ...COURSE_STATUSES),
        completesAutomatically: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .filter(hasSome),
});
const deleting = fc.record({ kind: kindOf('delete'), course, by: lecturingSender, match });
const adding = fc.record({
  kind: kindOf('add'),
  course,
  by: lecturingSender,
  position: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 4 }),
});
const arranging = fc.record({
  kind: kindOf('arrange', 'arrange', 'remove'),
  ...{ course, video, by: lecturingSender },
  changes: fc
    .record(
      { title: fc.constantFrom('Opening', 'Ending'), position: fc.integer({ min: 1, max: 6 }) },
      { requiredKeys: [] },
    )
    .filter(hasSome),
});
const enrolling = fc.record({
  kind: kindOf('enrol'),
  ...{ course, by: lecturingSender },
  list: fc.uniqueArray(fc.nat(6), { minLength: 1, maxLength: 4 }),
});

export type CourseStep =
    | typeof about
    | typeof watching
    | typeof registering
    | typeof updating
    | typeof deleting
    | typeof adding
    | typeof arranging
    | typeof enrolling extends fc.Arbitrary<infer Value>
    ? Value
    : never;
type AboutUser = typeof about | typeof watching extends fc.Arbitrary<infer Value> ? Value : never;
export const courseStep: fc.Arbitrary<CourseStep> = fc.oneof(
  { weight: 32, arbitrary: about },
  { weight: 8, arbitrary: watching },
  { weight: 4, arbitrary: registering },
  { weight: 6, arbitrary: updating },
  { weight: 2, arbitrary: deleting },
  { weight: 6, arbitrary: adding },
  { weight: 6, arbitrary: arranging },
  { weight: 3, arbitrary: enrolling },
);

const byAdmin = { person: 4, token: 'admin' } as const;
const addFirst = { kind: 'add', course: 0, by: byAdmin, position: null } as const;
/** What a sequence begins with: a course, and videos of it. */
export const openingSteps: fc.Arbitrary<CourseStep[]> = fc
  .record({ capacity, videos: fc.nat(3) })
  .map(({ capacity: seats, videos }) => [
    { kind: 'register', named: null, by: byAdmin, capacity: seats },
    ...Array.from({ length: videos }, () => addFirst),
  ]);

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
  const found = reference.courses[step.course];
  const courseId = found?.id ?? NOBODY;
  const tagOf = (wanted: 'present' | 'old' | null) =>
    wanted && [wanted === 'present' && found ? attributesTag(found) : 'old'];
  const others = reference.courses.flatMap((one) => (one === found ? [] : one.videos));
  const videoOf = (number: number) =>
    (number < 0 ? others[0] : found?.videos[number])?.id ?? NOBODY;
  const ofUser = (one: AboutUser): CoursesCommand => {
    const userId = one.by ? idOf(one.named) : idOf(one.named % 6);
    const actor = one.by ? actorOf(one.by) : undefined;
    if (one.kind === 'watch') return completeVideo(courseId, userId, videoOf(one.video), actor);
    if (one.kind === 'unwatch') return uncompleteVideo(courseId, userId, videoOf(one.video), actor);
    return make[one.kind](courseId, userId, actor);
  };
  switch (step.kind) {
    case 'update':
      return updateCourse(actorOf(step.by), courseId, step.changes, tagOf(step.match));
    case 'delete':
      return deleteCourse(actorOf(step.by), courseId, tagOf(step.match));
    case 'add':
      return addVideo(actorOf(step.by), courseId, step.position);
    case 'arrange':
      return updateVideo(actorOf(step.by), courseId, videoOf(step.video), step.changes);
    case 'remove':
      return deleteVideo(actorOf(step.by), courseId, videoOf(step.video));
    case 'enrol':
      return subscribeMany(actorOf(step.by), courseId, step.list.map(idOf));
    default:
      return ofUser(step);
  }
}
