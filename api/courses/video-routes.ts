import Joi from 'joi';
import { courseFields, courseKey, type VideoAttributes } from '../../shared/courses/commands';
import type { Draft, Endpoint, Input } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import { created, noContent, shown } from '../openapi/doc';
import { managedCourse } from './managed-course';
import { video } from './schemas';

/** Writes of a course's videos, which the document also calls clips. */

const ADDED_AT = ['/courses/:courseId/videos', '/courses/:courseId/clips'];
const ONE = '/courses/:courseId/videos/:videoId';

interface VideoBody {
  readonly title: string;
  readonly url: string;
  readonly position: number | null;
  readonly durationSeconds: number | null;
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
  body: Joi.object({
    title: courseFields.title.required(),
    url: courseFields.url.required(),
    position: courseFields.position.default(null),
    durationSeconds: courseFields.durationSeconds.default(null),
  }),
  doc: {
    id: path === ADDED_AT[0] ? 'addVideo' : 'addClip',
    tag: 'Courses',
    summary: 'Add a video to a course',
    description:
      path === ADDED_AT[0]
        ? 'For the lecturer of the course and administrators. Without a position it is added at the end. Otherwise, videos behind it move down.'
        : 'For the lecturer of the course and administrators. The same as `addVideo`.',
    answers: created(video),
    problems: ['FORBIDDEN', 'COURSE_NOT_FOUND'],
    example: { title: 'Parsing', url: 'https://videos.example/parsing', durationSeconds: 1800 },
  },
  location: ({ courseId, videoId }) => `/courses/${String(courseId)}/videos/${String(videoId)}`,
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

const update: Endpoint = {
  method: 'patch',
  path: ONE,
  who: 'user',
  kind: 'write',
  body: Joi.object({
    title: courseFields.title,
    url: courseFields.url,
    position: courseFields.position,
    durationSeconds: courseFields.durationSeconds,
  }).min(1),
  doc: {
    id: 'updateVideo',
    tag: 'Courses',
    summary: 'Change a video',
    description:
      'For the lecturer of the course and administrators. A new position moves the videos between it and the old one by one.',
    answers: shown(video),
    problems: ['FORBIDDEN', 'COURSE_NOT_FOUND', 'VIDEO_NOT_FOUND'],
    example: { position: 1 },
  },
  command: async (input: Input<Partial<VideoAttributes>>): Promise<Draft> => {
    const { courseId, videoCount } = await managedCourse(input);
    const { position = 1 } = input.body;
    const positionMax = Math.max(1, videoCount);
    if (position > positionMax) throw tooFarBehind(positionMax);
    return {
      type: 'courses.update-video',
      key: courseKey(courseId),
      payload: { courseId, videoId: input.params['videoId'] as number, changes: input.body },
    };
  },
};

const remove: Endpoint = {
  method: 'delete',
  path: ONE,
  who: 'user',
  kind: 'write',
  doc: {
    id: 'deleteVideo',
    tag: 'Courses',
    summary: 'Delete a video',
    description:
      'For the lecturer of the course and administrators. Videos behind it move up, and its completions are deleted.',
    answers: noContent('Deleted.'),
    problems: ['FORBIDDEN', 'COURSE_NOT_FOUND', 'VIDEO_NOT_FOUND'],
  },
  command: async (input: Input): Promise<Draft> => {
    const { courseId } = await managedCourse(input);
    return {
      type: 'courses.delete-video',
      key: courseKey(courseId),
      payload: { courseId, videoId: input.params['videoId'] as number },
    };
  },
};

export const videoEndpoints: readonly Endpoint[] = [...ADDED_AT.map(add), update, remove];
