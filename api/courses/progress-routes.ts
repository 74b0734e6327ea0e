import { Op } from 'sequelize';
import { CourseWait, VideoCompletion } from '../../shared/courses/tables';
import type { Endpoint, Input } from '../http/endpoint';
import { shown } from '../openapi/doc';
import { arrayOf, id, nullable, object } from '../openapi/schema';
import { namedCourse } from './managed-course';

/** The progress of a user in a course: in its videos, or in the line for a seat. */

interface CourseProgress {
  readonly courseId: number;
  readonly completedVideoIds: readonly number[];
  readonly waitPosition: number | null;
}

const courseProgress = object<CourseProgress>(
  'CourseProgress',
  { courseId: id, completedVideoIds: arrayOf(id), waitPosition: nullable(id) },
  { courseId: 6, completedVideoIds: [15], waitPosition: null },
);

async function completedVideoIds(courseId: number, userId: number): Promise<number[]> {
  const rows = await VideoCompletion.findAll({
    attributes: ['videoId'],
    where: { courseId, userId },
    order: ['videoId'],
    raw: true,
  });
  return rows.map(({ videoId }) => videoId);
}

/** Returns the place in line: 1 for the next seat, null for a user who does not wait. */
async function waitPosition(courseId: number, userId: number): Promise<number | null> {
  const own = await CourseWait.findOne({
    attributes: ['placeNo'],
    where: { courseId, userId },
    raw: true,
  });
  if (!own) return null;
  return CourseWait.count({ where: { courseId, placeNo: { [Op.lte]: own.placeNo } } });
}

export const progressEndpoint: Endpoint = {
  method: 'get',
  path: '/users/:userId/courses/:courseId/progress',
  who: 'self',
  kind: 'read',
  doc: {
    id: 'getCourseProgress',
    tag: 'Courses',
    summary: 'The progress of a user in a course',
    description:
      'Which videos the user has completed, and the place in line of somebody who waits for a seat.',
    answers: shown(courseProgress),
    problems: ['COURSE_NOT_FOUND'],
  },
  handle: async ({ params }: Input) => {
    const userId = params['userId'] as number;
    const { courseId } = await namedCourse({ params });
    const [completed, position] = await Promise.all([
      completedVideoIds(courseId, userId),
      waitPosition(courseId, userId),
    ]);
    return {
      status: 200,
      body: { courseId, completedVideoIds: completed, waitPosition: position },
    };
  },
};
