/**
 * Keeps what readers have seen, for when the service is unavailable. The answers of a signed-in
 * reader are encrypted with a key made from the session's token. The token is never stored, so
 * nobody can read them after the session. The next session, and signing out, delete them.
 */

const PREFIX = 'lendline.seen.';
const EVERYBODY = `${PREFIX}everybody`;
/** Most answers that are kept of a session. The least recently read ones are dropped. */
const KEPT_MAX = 300;
const IV_BYTES = 12;
/** When the answer came. The page displays it. */
const SEEN_AT = 'Lendline-Seen-At';
/** The headers that a page reads. */
const HEADERS = ['Content-Type', 'ETag'];

interface Seen {
  readonly cache: Cache;
  /** Null for answers that everybody may see. */
  readonly key: CryptoKey | null;
}

const digestOf = (text: string): Promise<ArrayBuffer> =>
  crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Deletes the answers of all sessions but `kept`. */
export async function forgetSessions(kept?: string): Promise<void> {
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) && name !== EVERYBODY && name !== kept) await caches.delete(name);
}

/** Opens the store of a reader. `authorization`: the header of the request. */
async function openSeen(authorization: string | null): Promise<Seen> {
  if (authorization === null) return { cache: await caches.open(EVERYBODY), key: null };
  const name = PREFIX + hexOf(await digestOf(`name ${authorization}`));
  if (!(await caches.has(name))) await forgetSessions(name);
  const bytes = await digestOf(`key ${authorization}`);
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
  return { cache: await caches.open(name), key };
}

async function locked(content: ArrayBuffer, key: CryptoKey): Promise<Blob> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  return new Blob([iv, await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, content)]);
}

const unlocked = (content: ArrayBuffer, key: CryptoKey): Promise<ArrayBuffer> =>
  crypto.subtle.decrypt(
    { name: 'AES-GCM', iv: content.slice(0, IV_BYTES) },
    key,
    content.slice(IV_BYTES),
  );

/** Keeps an answer. An answer that says that a thing is gone deletes the kept one. */
export async function keep(request: Request, answer: Response): Promise<void> {
  const { cache, key } = await openSeen(request.headers.get('Authorization'));
  if (!answer.ok) {
    await cache.delete(request.url);
    return;
  }
  const headers = new Headers({ [SEEN_AT]: new Date().toISOString() });
  for (const name of HEADERS) headers.set(name, answer.headers.get(name) ?? '');
  const content = await answer.arrayBuffer();
  await cache.put(
    request.url,
    new Response(key ? await locked(content, key) : content, { headers }),
  );
  const kept = await cache.keys();
  for (const old of kept.slice(0, Math.max(0, kept.length - KEPT_MAX))) await cache.delete(old);
}

/** Returns the kept answer for the sender of this request. */
export async function recalled(request: Request): Promise<Response | undefined> {
  const { cache, key } = await openSeen(request.headers.get('Authorization'));
  const kept = await cache.match(request.url);
  if (!kept || !key) return kept;
  return new Response(await unlocked(await kept.arrayBuffer(), key), { headers: kept.headers });
}
