import type { Ask } from '../check/authorization-matrix';
import { ADMIN } from '../service/processes';
import { newIsbn13, succeeded, uniqueWord } from './books';
import type { Service } from './requests';
import type { Scene } from './scene';

/** Requests that get an answer which the usual request of an operation does not get. */

export interface Wish extends Omit<Ask, 'body'> {
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is. */
  readonly body?: object | string;
  /** The status, where the document only says `default`. */
  readonly status?: string;
}

type Make = (scene: Scene, service: Service) => Promise<Wish> | Wish;

/** As many webhooks as there may be. */
const WEBHOOKS = 50;
/** How often a sign-in may fail before the next has to wait. */
const FREE_TRIES = 10;
const NO_ID = 999_999_999;
const UNKNOWN: Readonly<Record<string, string>> = {
  command: 'f3c1'.repeat(10),
  code: 'NO_SUCH_CODE',
};

/** Returns parameters that name nothing; a user stays when something else is named as well. */
export function unknown(params: Ask['params'] = {}): Record<string, string | number> {
  const names = Object.keys(params);
  return Object.fromEntries(
    names.map((name) => [
      name,
      name === 'userId' && names.length > 1
        ? params[name]!
        : (UNKNOWN[name] ?? (name.endsWith('Id') ? NO_ID : 'no-such-name')),
    ]),
  );
}

/** Sends a request before the one that is tried. */
async function done(
  service: Service,
  method: 'post' | 'patch' | 'delete',
  path: string,
  token: string | undefined,
  body?: object,
): Promise<unknown> {
  const response = await service.call(method, path, { token, body });
  if (response.status >= 300) succeeded(response, 200);
  return response.body;
}

const registered = async (service: Service): Promise<{ bookInfoId: number; isbn: string }> => {
  const title = { title: uniqueWord(), author: uniqueWord(), isbn: newIsbn13() };
  const made = await done(service, 'post', '/api/book-infos', service.target.admin, title);
  return made as { bookInfoId: number; isbn: string };
};

const again: Make = async (_scene, service) => {
  const { isbn } = await registered(service);
  return { body: { title: uniqueWord(), author: uniqueWord(), isbn } };
};

/** A copy on loan to `user`. */
async function lent(scene: Scene, service: Service) {
  const copy = await scene.copy();
  const { token } = scene.user;
  await done(service, 'post', '/api/borrows', token, copy);
  return copy;
}

async function returned(scene: Scene, service: Service): Promise<number> {
  const borrowId = await scene.borrow();
  await done(service, 'post', '/api/returns', scene.user.token, { borrowId });
  return borrowId;
}

/** A course that `user` has completed. */
const completed: Make = async (scene, service) => {
  const { userId, token } = scene.user;
  const courseId = await scene.takenCourse();
  await done(service, 'patch', `/users/${userId}/courses/${courseId}/status`, token, {
    status: 'completed',
  });
  return { params: { userId, courseId } };
};

const takenUsername: Make = () => ({
  body: { username: ADMIN.username, password: 'correct horse battery' },
});

async function disabledWebhook(scene: Scene, service: Service) {
  const { webhookId } = await scene.webhook();
  await done(service, 'patch', `/api/webhooks/${webhookId}`, service.target.admin, {
    status: 'disabled',
  });
  return { params: { webhookId } };
}

const partitions: Make = () => ({ body: { partitions: 8 } });
const itself: Make = () => ({ params: { worker: 'embedded' } });

/** By operation and status. */
export const DOCUMENTED: Readonly<Record<string, Make>> = {
  'resizePartitions 202': partitions,
  'resizePartitions 409': partitions,
  'drainWorker 409': itself,
  'resumeWorker 200': itself,
  'resumeWorker 204': itself,
  'registerTitle 200': again,
  'registerTitle 204': again,
  'registerTitle 400': () => ({ body: { title: 'T', author: 'A', isbn: '1' } }),
  'registerTitle 409': async (scene, service) => ({
    ...(await again(scene, service)),
    query: '?onDuplicate=reject',
  }),
  'updateTitle 400': async (scene) => ({
    params: { bookInfoId: await scene.title() },
    body: { isbn: '1' },
  }),
  'updateTitle 409': async (scene, service) => ({
    params: { bookInfoId: await scene.title() },
    body: { isbn: (await registered(service)).isbn },
  }),
  'deleteTitle 409': async (scene, service) => ({ params: await lent(scene, service) }),
  'addCopies 409': async (scene) => ({
    params: { bookInfoId: await scene.title() },
    body: { barcodes: [await scene.barcode()] },
  }),
  'setCopyStatus 409': async (scene, service) => ({
    params: await lent(scene, service),
    body: { status: 'DAMAGED' },
  }),
  'deleteCopy 409': async (scene, service) => ({ params: await lent(scene, service) }),
  'borrow 200': async (scene) => ({
    query: '?dryRun=true',
    body: { bookInfoId: await scene.title() },
  }),
  'borrow 204': async (scene) => ({
    query: '?dryRun=true',
    body: { bookInfoId: await scene.title() },
  }),
  'borrow 403': async (scene) => ({
    body: { bookInfoId: await scene.title(), userId: scene.lecturer.userId },
  }),
  'borrow 404': () => ({ body: { bookInfoId: NO_ID } }),
  'borrow 409': async (scene) => ({ body: { bookInfoId: await scene.title(0) } }),
  'returnBook 404': () => ({ body: { borrowId: NO_ID } }),
  'returnBook 409': async (scene, service) => ({
    body: { borrowId: await returned(scene, service) },
  }),
  'renewBorrow 409': async (scene, service) => ({
    params: { borrowId: await returned(scene, service) },
  }),
  'placeHold 409': async (scene) => ({ params: { bookInfoId: await scene.title() } }),

  'renameTag 409': async (scene) => {
    const [name, other] = await scene.tags();
    return { params: { name }, body: { name: other } };
  },

  'registerCourse 400': () => ({ body: { userId: 1 } }),
  'updateCourse 400': async (scene) => ({
    params: { courseId: await scene.course() },
    body: { capacity: 0 },
  }),
  'updateCourse 409': async (scene, service) => {
    const courseId = await scene.takenCourse();
    const { token } = scene.lecturer;
    await done(service, 'post', `/courses/${courseId}/subscriptions`, token);
    return { params: { courseId }, body: { capacity: 1 } };
  },
  'deleteCourse 409': async (scene) => ({ params: { courseId: await scene.takenCourse() } }),
  'subscribe 409': async (scene) => ({ params: { courseId: await scene.takenCourse() } }),
  'subscribeUser 409': async (scene) => ({
    params: { userId: scene.user.userId, courseId: await scene.takenCourse() },
  }),
  'subscribeUsers 409': async (scene, service) => {
    const courseId = await scene.course();
    await done(service, 'patch', `/courses/${courseId}`, scene.lecturer.token, {
      status: 'closed',
    });
    return { params: { courseId }, body: { userIds: [scene.user.userId] } };
  },
  'unsubscribe 409': completed,
  'unsubscribeUser 409': completed,
  'joinWaitlist 409': async (scene) => ({ params: { courseId: await scene.course() } }),

  'logIn 403': async (scene, service) => {
    const account = { username: uniqueWord(), password: scene.password };
    const { userId } = (await done(service, 'post', '/api/auth/signup', undefined, account)) as {
      userId: number;
    };
    await done(service, 'patch', `/api/users/${userId}`, service.target.admin, {
      status: 'blocked',
    });
    return { body: account };
  },
  'logIn 429': async (_scene, service) => {
    const body = { username: uniqueWord(), password: 'wrong horse battery' };
    for (let count = 0; count < FREE_TRIES; count += 1)
      await service.call('post', '/api/auth/login', { body });
    return { body };
  },
  'signUp 409': takenUsername,
  'createUser 409': takenUsername,
  'eraseUser 409': async (scene, service) => {
    const { userId, accessToken } = await scene.signUp();
    const body = { bookInfoId: await scene.title() };
    await done(service, 'post', '/api/borrows', accessToken, body);
    return { params: { userId }, token: accessToken };
  },
  'createWebhook 409': async (scene, service) => {
    const { admin: token } = service.target;
    await scene.roomForWebhook();
    for (let count = 0; count < WEBHOOKS; count += 1)
      await service.call('post', '/api/webhooks', { token, body: scene.webhookBody });
    return { body: scene.webhookBody };
  },
  'testWebhook 409': disabledWebhook,
  'streamEvents 200': () => ({ query: '?after=' }),
  'streamEvents 410': () => ({ query: '?after=no-such-event' }),
};
