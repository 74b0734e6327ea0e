import type { Response } from 'supertest';
import { succeeded, uniqueWord } from './books';
import { Service, type Reader } from './requests';
import { target } from '../service/target';

/**
 * What contract tests of course subscriptions do again and again, and the shapes that they expect.
 */

export interface Course {
  readonly courseId: number;
  readonly courseName: string;
  readonly userId: number;
  readonly lecturer: { readonly userId: number; readonly username: string };
  readonly videoCount: number;
  readonly capacity: number | null;
  readonly subscriberCount: number;
  readonly status: string;
  readonly completesAutomatically: boolean;
  readonly waitingCount: number;
  readonly createdAt: string;
  readonly modifiedAt: string;
}

export interface Video {
  readonly videoId: number;
  readonly courseId: number;
  readonly title: string;
  readonly url: string | null;
  readonly position: number;
  readonly durationSeconds: number | null;
  readonly createdAt: string;
}

export interface Subscription {
  readonly subscriptionId: number;
  readonly userId: number;
  readonly courseId: number;
  readonly courseName: string;
  readonly status: string;
  readonly progress: {
    readonly completedVideos: number;
    readonly totalVideos: number;
    readonly percent: number;
  };
  readonly createdAt: string;
  readonly modifiedAt: string;
  readonly completedAt: string | null;
}

export const COURSE_KEYS = [
  'courseId',
  'courseName',
  'userId',
  'lecturer',
  'videoCount',
  'capacity',
  'subscriberCount',
  'status',
  'completesAutomatically',
  'waitingCount',
  'createdAt',
  'modifiedAt',
];
export const VIDEO_KEYS = [
  'videoId',
  'courseId',
  'title',
  'url',
  'position',
  'durationSeconds',
  'createdAt',
];
export const SUBSCRIPTION_KEYS = [
  'subscriptionId',
  'userId',
  'courseId',
  'courseName',
  'status',
  'progress',
  'createdAt',
  'modifiedAt',
  'completedAt',
];
export const WAIT_KEYS = ['courseId', 'userId', 'username', 'position', 'createdAt'];

/** The three ways in which the list of a user's courses is written. */
export const LIST_PATHS: readonly ((userId: number | string) => string)[] = [
  (userId) => `/users/${userId}/courses`,
  (userId) => `/users/${userId}courses`,
  (userId) => `/user/${userId}courses`,
];

/** A course service, seen from outside. Methods in the past tense fail unless the call succeeds. */
export class Campus extends Service {
  newLecturer(): Reader {
    return this.newReader({ role: 'lecturer' });
  }

  /** Somebody whom the service has seen before, so that they have a row. */
  async knownReader(role: 'user' | 'lecturer' = 'user'): Promise<Reader> {
    return this.seen(this.newReader({ role }));
  }

  /** Returns a new course of this lecturer. */
  async registered(
    fields: Readonly<Record<string, unknown>> = {},
    lecturer: Reader = this.newLecturer(),
  ): Promise<Course> {
    const body = { courseName: `Course ${uniqueWord()}`, ...fields };
    return succeeded(await this.call('post', '/courses', { token: lecturer.token, body }), 201);
  }

  async detail(courseId: number): Promise<Course> {
    return succeeded(await this.call('get', `/courses/${courseId}`), 200);
  }

  async addVideo(
    courseId: number,
    fields: Readonly<Record<string, unknown>> = {},
    token: string = this.target.admin,
  ): Promise<Response> {
    const word = uniqueWord();
    return this.call('post', `/courses/${courseId}/videos`, {
      token,
      body: { title: `Video ${word}`, url: `https://video.example/${word}`, ...fields },
    });
  }

  async addedVideo(
    courseId: number,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<Video> {
    return succeeded(await this.addVideo(courseId, fields), 201);
  }

  /** Returns the videos of a course in the order of the list. */
  async videos(courseId: number): Promise<Video[]> {
    return this.allPages(`/courses/${courseId}/videos?`, 100, this.target.admin);
  }

  async changeCourse(
    courseId: number,
    fields: object,
    { token, headers = {} }: { token?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    return this.call('patch', `/courses/${courseId}`, {
      token: token ?? this.target.admin,
      body: fields,
      headers,
    });
  }

  async changedCourse(courseId: number, fields: object): Promise<Course> {
    return succeeded(await this.changeCourse(courseId, fields), 200);
  }

  async join({ token }: Reader, courseId: number): Promise<Response> {
    return this.call('post', `/courses/${courseId}/waitlist`, { token });
  }

  /** Waits for a course, and returns the position. */
  async joined(reader: Reader, courseId: number): Promise<number> {
    return (succeeded(await this.join(reader, courseId), 201) as { position: number }).position;
  }

  async leaveWaitlist({ token }: Reader, courseId: number): Promise<Response> {
    return this.call('delete', `/courses/${courseId}/waitlist`, { token });
  }

  /** Ids of those who wait, the first first. */
  async waiting(courseId: number): Promise<number[]> {
    const waits: { userId: number }[] = await this.allPages(
      `/courses/${courseId}/waitlist?`,
      100,
      this.target.admin,
    );
    return waits.map(({ userId }) => userId);
  }

  async completion(
    method: 'put' | 'delete',
    { token, userId }: Reader,
    { courseId, videoId }: Pick<Video, 'courseId' | 'videoId'>,
  ): Promise<Response> {
    return this.call(method, `/users/${userId}/courses/${courseId}/videos/${videoId}/completion`, {
      token,
    });
  }

  async subscribe({ token }: Reader, courseId: number): Promise<Response> {
    return this.call('post', `/courses/${courseId}/subscriptions`, { token });
  }

  async subscribed(reader: Reader, courseId: number): Promise<Subscription> {
    return succeeded(await this.subscribe(reader, courseId), 201);
  }

  async cancel({ token }: Reader, courseId: number): Promise<Response> {
    return this.call('delete', `/courses/${courseId}/subscriptions`, { token });
  }

  async cancelled(reader: Reader, courseId: number): Promise<void> {
    succeeded(await this.cancel(reader, courseId), 204);
  }

  async complete({ token, userId }: Reader, courseId: number, body?: unknown): Promise<Response> {
    return this.call('patch', `/users/${userId}/courses/${courseId}/status`, { token, body });
  }

  async completed(reader: Reader, courseId: number): Promise<Subscription> {
    return succeeded(await this.complete(reader, courseId), 200);
  }

  async taken({ token, userId }: Reader, query = ''): Promise<Response> {
    return this.call('get', `/users/${userId}/courses${query}`, { token });
  }
}

export async function openCampus(): Promise<Campus> {
  return new Campus(await target());
}
