import Joi from 'joi';
import type { Actor } from '../../shared/command';
import type { Cache } from '../../shared/cache/cache';
import { coursesCacheKeys } from '../../shared/courses/views';
import type { Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules, type Page } from '../http/requests/paging';
import { Problem } from '../http/responses/problem';
import { shown, taggedList } from '../openapi/doc';
import { hashTag } from '../reads/cached-entity';
import { cachedPage } from '../reads/cached-list';
import { manages, namedCourse } from './managed-course';
import { takesCourse } from './queries';
import { findVideo, findVideos } from './video-queries';
import { video } from './schemas';

/**
 * The syllabus: the videos of a course, for everybody, and where they are, for those who may watch.
 */

const PATHS = ['/courses/:courseId/videos', '/courses/:courseId/clips'];

/** Last resort, milliseconds: a worker's bump ends a view as soon as it is old. */
const KEPT_MS = 300_000;

/** The answer depends on the caller. */
const BY_READER = { Vary: 'Authorization' };
const FOR_ONE_READER = { 'Cache-Control': 'private, no-cache', ...BY_READER };

/** Returns whether somebody may watch the videos of a course. */
async function watches(
  actor: Actor,
  course: Awaited<ReturnType<typeof namedCourse>>,
): Promise<boolean> {
  if (actor.userId === null) return false;
  return manages(actor, course) || takesCourse(actor.userId, course.courseId);
}

const list =
  (cache: Cache) =>
  (path: string): Endpoint => ({
    method: 'get',
    path,
    who: 'public',
    kind: 'read',
    query: Joi.object(pageRules()),
    doc: {
      id: path === PATHS[0] ? 'listVideos' : 'listClips',
      tag: 'Courses',
      summary: 'The videos of a course',
      description:
        path === PATHS[0]
          ? '`url` is null, but for administrators, the lecturer of the course, and those who take or have completed it.'
          : 'The same as `listVideos`.',
      answers: taggedList(video),
      problems: ['COURSE_NOT_FOUND'],
    },
    handle: async (input: Input<unknown, Page>) => {
      const { query, actor } = input;
      const course = await namedCourse(input);
      const { courseId } = course;
      if (await watches(actor, course)) {
        const found = await findVideos(courseId, query, true);
        const { headers, body, status } = listAnswer(input, query, found);
        const json = JSON.stringify(body);
        // Nothing that has addresses in it is kept, here or in caches of many readers.
        const etag = { ETag: `W/${hashTag(json)}` };
        return { status, json, headers: { ...headers, ...etag, ...FOR_ONE_READER } };
      }
      const subject = coursesCacheKeys.syllabus(courseId);
      const view = {
        view: `${subject}:${query.page}:${query.size}`,
        subject,
        ttlMs: KEPT_MS,
      };
      return cachedPage(cache, view, input, () => findVideos(courseId, query, false), BY_READER);
    },
  });

const one: Endpoint = {
  method: 'get',
  path: '/courses/:courseId/videos/:videoId',
  who: 'public',
  kind: 'read',
  doc: {
    id: 'getVideo',
    tag: 'Courses',
    summary: 'One video of a course',
    description: '`url` is null as in the list.',
    answers: shown(video),
    problems: ['COURSE_NOT_FOUND', 'VIDEO_NOT_FOUND'],
  },
  handle: async (input: Input) => {
    const course = await namedCourse(input);
    const { courseId } = course;
    const videoId = input.params['videoId'] as number;
    const found = await findVideo(courseId, videoId, await watches(input.actor, course));
    if (!found) throw new Problem('VIDEO_NOT_FOUND', `Course ${courseId} has no video ${videoId}.`);
    return { status: 200, body: found };
  },
};

export const syllabusEndpoints = (cache: Cache): Endpoint[] => [...PATHS.map(list(cache)), one];
