import { client, type CallOptions, type Result } from '../../../shared/client';
import { useWrite } from '../../../shared/write';
import type { Course } from '../queries';

/** What a lecturer does with a course. */

type Field = (name: string) => string;

export type CourseChanges = Partial<
  Pick<Course, 'courseName' | 'capacity' | 'status' | 'completesAutomatically'>
>;
export interface NewCourse {
  readonly courseName: string;
  readonly capacity: number | null;
  readonly completesAutomatically: boolean;
}
export interface VideoTexts {
  readonly title: string;
  readonly url: string;
  readonly durationSeconds: number | null;
}
export type VideoChanges = Partial<VideoTexts> & { readonly position?: number };

const numberOf = (text: string): number | null => (text === '' ? null : Number(text));

/** What a form says of a course. A checkbox that is not checked is not there. */
export const newCourseOf = (field: Field): NewCourse => ({
  courseName: field('courseName'),
  capacity: numberOf(field('capacity')),
  completesAutomatically: field('completesAutomatically') !== '',
});

export const videoTextsOf = (field: Field): VideoTexts => ({
  title: field('title'),
  url: field('url'),
  durationSeconds: numberOf(field('durationSeconds')),
});

export const useCreateCourse = () =>
  useWrite((body: NewCourse, options) => client.request('POST', '/courses', { ...options, body }));

export const useChangeCourse = (courseId: number) =>
  useWrite((body: CourseChanges, options) =>
    client.request('PATCH', '/courses/{courseId}', { ...options, path: { courseId }, body }),
  );

export const useDeleteCourse = (onDone: () => void) =>
  useWrite(
    (courseId: number, options) =>
      client.request('DELETE', '/courses/{courseId}', { ...options, path: { courseId } }),
    { onDone },
  );

export const useAddVideo = (courseId: number) =>
  useWrite((body: VideoTexts, options) => client.videos.add(courseId, body, options));

interface VideoChange {
  readonly videoId: number;
  /** null deletes it. */
  readonly changes: VideoChanges | null;
}

const VIDEO = '/courses/{courseId}/videos/{videoId}';

function changeVideo(
  courseId: number,
  { videoId, changes }: VideoChange,
  options: CallOptions,
): Promise<Result<unknown, unknown>> {
  const to = { ...options, path: { courseId, videoId } };
  return changes === null
    ? client.request('DELETE', VIDEO, to)
    : client.request('PATCH', VIDEO, { ...to, body: changes });
}

export const useChangeVideo = (courseId: number) =>
  useWrite((change: VideoChange, options) => changeVideo(courseId, change, options));
