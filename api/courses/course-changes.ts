import Joi from 'joi';
import {
  courseFields,
  courseKey,
  TAGS_MAX,
  type CourseAttributes,
} from '../../shared/courses/commands';
import { courseEtag, type CourseView } from '../../shared/courses/views';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { entityTags } from '../http/responses/entity-tags';
import { changed, noContent } from '../openapi/doc';
import { managedCourse } from './managed-course';
import { course as courseSchema } from './schemas';

/** Changing and deleting courses; the worker decides both. */

/** Fields that follow from others or from the system's own work. */
const READ_ONLY_FIELDS = [
  'courseId',
  'userId',
  'lecturer',
  'videoCount',
  'subscriberCount',
  'waitingCount',
  'createdAt',
  'modifiedAt',
] as const;

/** The tag of a course, see `courseEtag`. */
const COURSE_TAG = /^([\w-]{27})-[\w-]{27}$/;

/** Returns the tags of a course in If-Match. Foreign tags are left out. */
const ifMatchOf = (header: string | undefined): string[] | null =>
  entityTags(header)
    ?.flatMap((tag) => COURSE_TAG.exec(tag)?.[1] ?? [])
    .slice(0, TAGS_MAX) ?? null;

const update: Endpoint = {
  method: 'patch',
  path: '/courses/:courseId',
  who: 'user',
  kind: 'write',
  body: Joi.object({
    courseName: courseFields.courseName,
    capacity: courseFields.capacity,
    status: courseFields.status,
    completesAutomatically: courseFields.completesAutomatically,
    ...Object.fromEntries(READ_ONLY_FIELDS.map((field) => [field, Joi.forbidden()])),
  }).min(1),
  doc: {
    id: 'updateCourse',
    tag: 'Courses',
    summary: 'Change a course',
    description:
      'For the lecturer of the course and administrators. A larger capacity, or opening the course again, gives seats to the first in line. A closed or archived course takes no subscriptions.',
    answers: changed(courseSchema),
    problems: [
      'READ_ONLY_FIELD',
      'FORBIDDEN',
      'COURSE_NOT_FOUND',
      'VERSION_MISMATCH',
      'CAPACITY_BELOW_SUBSCRIBERS',
    ],
    ifMatch: true,
    example: { capacity: 120 },
  },
  etag: (result) => courseEtag(result as unknown as CourseView),
  command: async (input: Input<Partial<CourseAttributes>>): Promise<Draft> => {
    const { courseId } = await managedCourse(input);
    return {
      type: 'courses.update-course',
      key: courseKey(courseId),
      payload: { courseId, changes: input.body, ifMatch: ifMatchOf(input.header('if-match')) },
    };
  },
};

const remove: Endpoint = {
  method: 'delete',
  path: '/courses/:courseId',
  who: 'user',
  kind: 'write',
  doc: {
    id: 'deleteCourse',
    tag: 'Courses',
    summary: 'Delete a course',
    description:
      'For the lecturer of the course and administrators. Users who completed it keep it in their list.',
    answers: noContent('Deleted.'),
    problems: ['FORBIDDEN', 'COURSE_NOT_FOUND', 'VERSION_MISMATCH', 'COURSE_HAS_SUBSCRIBERS'],
    ifMatch: true,
  },
  command: async (input: Input): Promise<Draft> => {
    const { courseId } = await managedCourse(input);
    return {
      type: 'courses.delete-course',
      key: courseKey(courseId),
      payload: { courseId, ifMatch: ifMatchOf(input.header('if-match')) },
    };
  },
};

export const courseChanges: readonly Endpoint[] = [update, remove];
