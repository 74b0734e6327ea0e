import type { CourseView, VideoView } from '../../../shared/courses/views';
import { videoIdentity, type CourseRow } from './course-row';
import { create, expected, itemsOf, type Registration } from './registration';
import type { ServiceClient } from './service-client';

export interface CourseToRegister extends Omit<CourseRow, 'userId' | 'lecturer'> {
  /** The lecturer. */
  readonly userId: number;
}

/**
 * Returns what makes two courses the same. The service takes two of one name, an import does not
 * make them.
 */
export const courseIdentity = ({
  userId,
  courseName,
}: Pick<CourseToRegister, 'userId' | 'courseName'>): unknown => [userId, courseName];

/** Returns the course of exactly this name; the search finds more: parts of names, in any case. */
async function findCourse(
  client: ServiceClient,
  { userId, courseName }: CourseToRegister,
): Promise<number | null> {
  for await (const course of itemsOf<CourseView>(client, '/courses', {
    userId: String(userId),
    q: courseName,
  })) {
    if (course.courseName === courseName) return course.courseId;
  }
  return null;
}

/** Adds the videos that the course lacks behind those that it has, and says how many these were. */
async function addMissingVideos(
  client: ServiceClient,
  path: string,
  { videos }: CourseToRegister,
): Promise<number> {
  if (videos.length === 0) return 0;
  const there = new Set<string>();
  for await (const video of itemsOf<VideoView>(client, path)) there.add(videoIdentity(video));
  const missing = videos.filter((video) => !there.has(videoIdentity(video)));
  for (const video of missing) expected(await create(client, path, video), 201);
  return missing.length;
}

/** Gives a course the status of its row. */
async function setStatus(
  client: ServiceClient,
  path: string,
  { status }: CourseToRegister,
): Promise<void> {
  if (status === null) return;
  expected(await client.call({ method: 'PATCH', path, body: { status } }), 200);
}

/**
 * Registers the course with its videos; one that is there keeps what it has. @throws Refused, or
 * OpsError when the fault is not the row's.
 */
export async function registerCourse(
  client: ServiceClient,
  course: CourseToRegister,
): Promise<Registration> {
  const found = await findCourse(client, course);
  const { courseName, userId, capacity, completesAutomatically } = course;
  const body = {
    ...{ courseName, userId, capacity },
    ...(completesAutomatically !== null && { completesAutomatically }),
  };
  const courseId =
    found ?? (expected(await create(client, '/courses', body), 201)['courseId'] as number);
  const added = await addMissingVideos(client, `/courses/${courseId}/videos`, course);
  await setStatus(client, `/courses/${courseId}`, course);
  if (found === null) return { kind: 'registered' };
  return {
    kind: 'there',
    ...(added > 0 && {
      remark: `course ${courseId} was there and got ${added} of ${course.videos.length} videos that it lacked`,
    }),
  };
}
