import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

/** Clients that send large posts, and send each again until it is taken. */

/** A character of three bytes. */
const WIDE = '가';
/** A character that JSON may spell with twelve bytes. */
const ESCAPED = String.raw`\ud83d\ude00`;
const DISTINCT = 64;

/** Returns a post of 300 KB: as long as a post may be, in bytes that are sent as they are. */
export const plainPost = (index: number): string => postText(index, WIDE.repeat(99_990));
/** Returns a post of about 1 MiB, as large as a body may be. */
export const escapedPost = (index: number): string => postText(index, ESCAPED.repeat(87_000));

const postText = (index: number, content: string): string =>
  `{"title":"Large ${index}","content":"${content}","userId":${(index % DISTINCT) + 1},"tags":["large"]}`;

export interface Sent {
  /** Posts that were taken. */
  readonly taken: number;
  /** Answers that no client should get. */
  readonly violations: readonly string[];
}

/** Sends the posts 0 to `count - 1`, so many at a time. */
export async function sendPosts(
  url: string,
  count: number,
  textOf: (index: number) => string,
  atATime: number,
): Promise<Sent> {
  // Connections of their own: behind the large bodies of one pool, the requests of others would
  // wait in this process.
  const pool = new Pool(url, { connections: atATime });
  let next = 0;
  let taken = 0;
  const violations: string[] = [];
  const send = async () => {
    while (next < count) {
      const body = textOf(next);
      next += 1;
      const { status, text } = await insist(pool, body);
      if (status === 201 || status === 202) taken += 1;
      else violations.push(`${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, send));
  await pool.close();
  return { taken, violations };
}

async function insist(
  pool: Pool,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
  for (;;) {
    const answer = await pool.request({
      method: 'POST',
      path: '/posts',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const text = await answer.body.text();
    const {
      statusCode: status,
      headers: { 'retry-after': waitS },
    } = answer;
    if ((status !== 503 && status !== 429) || waitS === undefined)
      return { status, text: text.slice(0, 200) };
    await pause(Number(waitS) * 1000);
  }
}
