import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Lendline } from '@lendline/client';

/** Calls of the service that the stories tell of, which end when it answers otherwise. */

const { API_URL: baseUrl = 'http://127.0.0.1:3000', TOKEN = '' } = process.env;
/** How long something may take that is made of events, milliseconds. */
const EVENTS_MS = 120_000;
const LOOK_MS = 250;
/** What no other run has in its names. */
export const run = randomUUID().slice(0, 8);

/** Sends requests for an answer of another media type. */
const accepting = (accept) => (url, request) =>
  fetch(url, { ...request, headers: { ...request.headers, Accept: accept } });

/** Calls the service. @throws when it answers otherwise than the story goes. */
export async function call(method, path, { wants = 200, code, token, accept, ...given } = {}) {
  const transport = accept && { fetch: accepting(accept) };
  const lendline = new Lendline({ baseUrl, token, ...transport });
  const { value, problem, status, headers } = await lendline.request(method, path, given);
  if (status !== wants || (code && problem.code !== code)) {
    const told = JSON.stringify(problem ?? value);
    throw new Error(`${method} ${path}: ${status} instead of ${wants} ${code ?? ''}: ${told}`);
  }
  return { answer: value ?? problem, headers };
}
export const get = async (path, options) => (await call('GET', path, options)).answer;
export const post = async (path, body, options) =>
  (await call('POST', path, { wants: 201, ...options, body })).answer;
export const put = async (path, body, options) =>
  (await call('PUT', path, { ...options, body })).answer;
export const patch = async (path, body, options) =>
  (await call('PATCH', path, { ...options, body })).answer;
export const remove = (path, options) => call('DELETE', path, { wants: 204, ...options });

export const admin = { token: TOKEN };
export const refused = (code, { token }) => ({ wants: 409, code, token });
export function check(isTrue, what) {
  if (!isTrue) throw new Error(`Not so: ${what}`);
}
export const tell = (text) => console.log(text);

/** Looks until there is something. */
export async function until(what, look) {
  const end = Date.now() + EVENTS_MS;
  while (Date.now() < end) {
    const found = await look();
    if (found) return found;
    await sleep(LOOK_MS);
  }
  throw new Error(`Not so after ${EVENTS_MS / 1000} s: ${what}`);
}

/** Waits for a notice of this type. */
export const notified = (person, type) =>
  until(`${type} is told`, async () => {
    const { items } = await get('/api/notices?unread=true&size=100', person);
    return items.find((notice) => notice.type === type);
  });

/** The messages of a stream, from now on. */
export async function stream(path) {
  const lendline = new Lendline({ baseUrl });
  let messages;
  let first;
  await new Promise((onOpen, onEnd) => {
    messages = lendline.stream(path, { onOpen });
    first = messages.next();
    first.catch(onEnd);
  });
  const next = async () => {
    const { value } = await (first ?? messages.next());
    first = undefined;
    return JSON.parse(value.data);
  };
  return { next, stop: () => messages.return() };
}

export async function newPerson(name) {
  const account = { username: `${name}-${run}`, password: randomUUID() };
  const { userId, accessToken } = await post('/api/auth/signup', account);
  return { userId, token: accessToken };
}

export async function newLecturer(name) {
  const account = { username: `${name}-${run}`, password: randomUUID() };
  await post('/api/users', { ...account, role: 'lecturer' }, admin);
  const { accessToken } = await post('/api/auth/login', account, { wants: 200 });
  return { token: accessToken };
}
