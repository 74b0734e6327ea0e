import { forgetSessions, keep, recalled } from './seen';
import { fileOf, keepFiles, keepShell, keptShell } from './shell';

/**
 * Lets readers read what they have seen while the service is unavailable. It always asks the
 * service first, and leaves writes, other pages and other servers alone.
 */

declare const self: ServiceWorkerGlobalScope;

/** Addresses of the places of readers. */
const PLACES = /^\/(?:$|(?:books|library|notices|board|learn|admin|sign-in|sign-up)(?:\/|$))/;
/** Requests of those places. */
const DATA =
  /^\/(?:api\/(?:book-infos|borrow-histories|holds|notices|users\/me)|posts|tags|courses|users\/\d+\/courses)(?:\/|$)/;

/** The messages of a page. */
type Told = { readonly files: readonly string[] } | { readonly forget: true };

async function placeOf(event: FetchEvent): Promise<Response> {
  try {
    const loaded = (await event.preloadResponse) as Response | undefined;
    const answer = loaded ?? (await fetch(event.request));
    if (answer.ok) event.waitUntil(keepShell(answer.clone()));
    return answer;
  } catch {
    return (await keptShell()) ?? Response.error();
  }
}

async function isReaders(clientId: string): Promise<boolean> {
  const page = await self.clients.get(clientId);
  return page !== undefined && PLACES.test(new URL(page.url).pathname);
}

async function dataOf(event: FetchEvent): Promise<Response> {
  const { request } = event;
  if (!(await isReaders(event.clientId))) return fetch(request);
  try {
    const answer = await fetch(request);
    // A temporary failure of the service says nothing about kept answers.
    if (answer.status < 500 && answer.status !== 429)
      event.waitUntil(keep(request, answer.clone()));
    return answer;
  } catch {
    return (await recalled(request)) ?? Response.error();
  }
}

self.addEventListener('install', (event) => {
  event.waitUntil(
    fetch('/')
      .then(keepShell)
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    Promise.all([self.clients.claim(), self.registration.navigationPreload.enable()]),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') {
    if (PLACES.test(pathname)) event.respondWith(placeOf(event));
  } else if (pathname.startsWith('/assets/')) event.respondWith(fileOf(request));
  else if (DATA.test(pathname)) event.respondWith(dataOf(event));
});

self.addEventListener('message', (event) => {
  const told = event.data as Told;
  event.waitUntil('files' in told ? keepFiles(told.files) : forgetSessions());
});
