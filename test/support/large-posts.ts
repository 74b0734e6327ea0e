import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** Clients that send large posts, and send each again until it is taken. */

/** A character of three bytes. */
const WIDE = '가';
/** A character that JSON may spell with twelve bytes. */
const ESCAPED = String.raw`\ud83d\ude00`;
const DISTINCT = 64;

/** A post of 300 KB: as long as a post may be, in bytes that are sent as they are. */
export const plainPost = (index: number): string => postText(index, WIDE.repeat(99_990));
/** A post of about 1 MiB, as large as a body may be. */
export const escapedPost = (index: number): string => postText(index, ESCAPED.repeat(87_000));

const postText = (index: number, content: string): string => `{"title":"Large ${index}","content":"${content}","userId":${(index % DISTINCT) + 1},"tags":["large"]}`;

export interface Sent {
  /** Posts that were taken, and how often one was refused before. */
  readonly taken: number;
  readonly refused: number;
  /** Answers that nobody should have got. */
  readonly violations: readonly string[];
}

/** Sends the posts `first` to `first + count - 1`, so many at a time. */
export async function sendPosts(url: string, count: number, textOf: (index: number) => string, atATime: number): Promise<Sent> {
  // Connections of their own: behind the large bodies of one pool, the requests of others would wait in this process.
  const agent = new Agent({ keepAlive: true, maxSockets: atATime });
  let next = 0;
  let [taken, refused] = [0, 0];
  const violations: string[] = [];
  const send = async () => {
    while (next < count) {
      const body = textOf(next);
      next += 1;
      const { status, refusals, text } = await insist(agent, url, body);
      refused += refusals;
      if (status === 201 || status === 202) taken += 1;
      else violations.push(`${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, send));
  agent.destroy();
  return { taken, refused, violations };
}

interface Answered {
  readonly status: number;
  readonly refusals: number;
  readonly text: string;
}

async function insist(agent: Agent, url: string, body: string): Promise<Answered> {
  for (let refusals = 0; ; refusals += 1) {
    const { status, waitS, text } = await post(agent, `${url}/posts`, body);
    if ((status !== 503 && status !== 429) || waitS === undefined) return { status, refusals, text: text.slice(0, 200) };
    await pause(Number(waitS) * 1000);
  }
}

function post(agent: Agent, url: string, body: string): Promise<{ readonly status: number; readonly waitS: string | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, waitS: response.headers['retry-after'], text });
      });
      response.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
