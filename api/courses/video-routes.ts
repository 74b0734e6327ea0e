import Joi from 'joi';
import type { Actor } from '../../shared/command';
import { courseFields, courseKey } from '../../shared/courses/commands';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules, type Page } from '../http/paging';
import { Problem } from '../http/problem';
import { created, listed } from '../openapi/doc';
import { noSuchCourse } from './course-routes';
import { findCourseNumbers, findVideos } from './queries';
import { video } from './schemas';

/**
 * The videos of a course, which the document also calls clips. They are for administrators and the
 * lecturer of the course.
 */

const PATHS = ['/courses/:courseId/videos', '/courses/:courseId/clips'];

interface VideoBody {
  readonly title: string;
  readonly url: string;
  readonly position: number | null;
  readonly durationSeconds: number | null;
}

/** The course that the path names, when the actor may see and change its videos. */
async function managedCourse({
  params,
  actor,
}: {
  readonly params: Input['params'];
  readonly actor: Actor;
}): Promise<{ courseId: number; videoCount: number }> {
  const courseId = params['courseId'] as number;
  const course = await findCourseNumbers(courseId);
  if (!course) throw noSuchCourse(courseId);
  if (!actor.isAdmin && course.userId !== actor.userId)
    throw new Problem(
      'FORBIDDEN',
      'Only an administrator or the lecturer of the course may do this.',
    );
  return { courseId, videoCount: course.videoCount };
}

function tooFarBehind(positionMax: number): Problem {
  const message = `position must be at most ${positionMax}, so that no gap is left`;
  return new Problem('VALIDATION_FAILED', `${message}.`, {
    extras: { errors: [{ field: 'position', code: 'OUT_OF_RANGE', message }] },
  });
}

const add = (path: string): Endpoint => ({
  method: 'post',
  path,
  who: 'user',
  kind: 'write',
  type: 'courses.add-video',
  body: Joi.object({
    title: courseFields.title.required(),
    url: courseFields.url.required(),
    position: courseFields.position.default(null),
    durationSeconds: courseFields.durationSeconds.default(null),
  }),
  doc: {
    id: path === PATHS[0] ? 'addVideo' : 'addClip',
    tag: 'Courses',
    summary: 'Add a video to a course',
    description:
      'For the lecturer of the course and administrators. Without a position it comes last; else those behind it move on.',
    answers: created(video, { located: false }),
    problems: ['FORBIDDEN', 'COURSE_NOT_FOUND'],
    example: { title: 'Parsing', url: 'https://videos.example/parsing', durationSeconds: 1800 },
  },
  command: async (input: Input<VideoBody>): Promise<Draft> => {
    const { courseId, videoCount } = await managedCourse(input);
    const { position } = input.body;
    if (position !== null && position > videoCount + 1) throw tooFarBehind(videoCount + 1);
    return {
      type: 'courses.add-video',
      key: courseKey(courseId),
      payload: { courseId, ...input.body },
    };
  },
});

const list = (path: string): Endpoint => ({
  method: 'get',
  path,
  who: 'user',
  kind: 'read',
  query: Joi.object(pageRules()),
  doc: {
    id: path === PATHS[0] ? 'listVideos' : 'listClips',
    tag: 'Courses',
    summary: 'The videos of a course',
    description: 'For the lecturer of the course and administrators.',
    answers: listed(video),
    problems: ['FORBIDDEN', 'COURSE_NOT_FOUND'],
  },
  handle: async (input: Input<unknown, Page>) => {
    const { courseId } = await managedCourse(input);
    return listAnswer(input, input.query, await findVideos(courseId, input.query));
  },
});

export const videoEndpoints: readonly Endpoint[] = PATHS.flatMap((path) => [add(path), list(path)]);
