import { Agent, request } from 'node:http';
import { Random } from '../../simulation/random';
import { amount } from '../../support/run/amount';
import { MATRIX } from '../../support/check/authorization-matrix';
import type { ApiDocument } from '../../support/check/document/api-document';
import { documentOf } from '../../support/check/document/served';
import { KnownIds } from '../../support/fixtures/fuzz/known-ids';
import { Requests, type FuzzRequest } from '../../support/fixtures/fuzz/requests';
import { Values } from '../../support/fixtures/fuzz/values';
import { startService } from '../../support/service/start-service';
import { CALLERS, Scene } from '../../support/clients/scene';
import type { Target } from '../../support/service/target';

/**
 * Thousands of requests that nobody would send. Whatever is asked, the answer is in the document,
 * and it is no failure of the service.
 */

const SEED = 20_261_121;
/** Requests of each operation, and how many of them are under way at once. */
const REQUESTS = amount(5, 80);
const AT_ONCE = 8;
/** After so many operations there are new things, in place of those that were deleted. */
const FURNISHED_EVERY = amount(6, 1);

const random = new Random(SEED);
const known = new KnownIds(random);
const pick = (name: string) => known.pick(name);
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

let target: Target;
let document: ApiDocument;
let scene: Scene;
let requests: Requests;
let victim: number;
let accepted = 0;
let refused = 0;

/** Things of every kind, in place of those that were deleted. */
async function furnish(): Promise<void> {
  const [bookInfoId, borrowId, holdId, postId, video, command, copy] = await Promise.all([
    scene.title(3),
    scene.borrow(),
    scene.hold(),
    scene.post({ tags: ['c++', scene.word()] }),
    scene.takenVideo(),
    scene.command(),
    scene.copy(),
  ]);
  known.learn([
    {
      bookInfoId,
      borrowId,
      holdId,
      postId,
      courseId: video.courseId,
      videoId: video.videoId,
      commandId: command,
      userId: scene.user.userId,
      tags: ['c++'],
    },
    copy,
    { userId: scene.lecturer.userId },
  ]);
}

beforeAll(async () => {
  target = (await startService()).target;
  document = await documentOf(target.url);
  scene = new Scene(target);
  await scene.open();
  victim = await scene.newAccountId();
  requests = new Requests(document, new Values(document, random, pick), random, pick);
});

afterAll(() => {
  agent.destroy();
});

/**
 * Sends it to one of the APIs and learns from the answer; a stream is left as soon as it has begun.
 */
function send({
  method,
  path,
  headers,
  body,
}: FuzzRequest): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(random.pick(target.urls));
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent }, (response) => {
      const { statusCode: status = 0 } = response;
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        response.destroy();
        resolve({ status, text: '' });
        return;
      }
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject).on('end', () => {
        resolve({ status, text });
      });
    });
    sent.on('error', reject).end(body);
  });
}

/** The number that the service has. A change to another one would take minutes. */
const PARTITIONS = 16;
const POSSIBLE = /^\{"partitions":\d+\}$/;

/** Who loses rights, or is erased, is somebody who asks for nothing. */
function aimed(id: string, made: FuzzRequest): FuzzRequest {
  if (id === 'resizePartitions' && POSSIBLE.test(made.body?.toString() ?? '')) {
    const body = Buffer.from(`{"partitions":${PARTITIONS}}`);
    return { ...made, body, headers: { ...made.headers, 'content-length': String(body.length) } };
  }
  return ['updateUser', 'eraseUser'].includes(id)
    ? { ...made, path: made.path.replace(/^(\/api\/users\/)\d+/, `$1${victim}`) }
    : made;
}

async function tryOne(id: string): Promise<string[]> {
  const found = document.operations().find(({ operation }) => operation.operationId === id)!;
  // Whoever signs out is somebody who asks for nothing else.
  const own = found.operation.operationId === 'logOut' ? scene.newToken() : undefined;
  const token =
    own ??
    (random.chance(0.03)
      ? 'not.a.token'
      : scene.tokenOf(random.chance(0.4) ? 'admin' : random.pick(CALLERS)));
  const made = aimed(id, requests.make(found, token));
  const { status, text } = await send(made);
  if (status < 300) accepted += 1;
  else refused += 1;
  if (status < 300 && text.startsWith('{')) known.learn(JSON.parse(text));
  return status >= 500
    ? [
        `${made.method} ${made.path} ${JSON.stringify({ ...made.headers, authorization: undefined })} ${made.body?.toString().slice(0, 500) ?? ''}: ${status} ${text.slice(0, 500)}`,
      ]
    : [];
}

const OPERATIONS = Object.keys(MATRIX);

it.each(OPERATIONS)('%s never fails', async (id) => {
  if (OPERATIONS.indexOf(id) % FURNISHED_EVERY === 0) await furnish();
  const failures: string[] = [];
  let left = REQUESTS;
  const sender = async () => {
    while (left-- > 0) failures.push(...(await tryOne(id)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  expect(failures).toEqual([]);
});

it('sends about as many possible requests as impossible ones', () => {
  expect(Math.min(accepted, refused) / (accepted + refused)).toBeGreaterThan(0.3);
});
