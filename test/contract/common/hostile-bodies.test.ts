import { amount } from '../../support/run/amount';
import { MATRIX } from '../../support/check/authorization-matrix';
import type { ApiDocument } from '../../support/check/document/api-document';
import { documentOf } from '../../support/check/document/served';
import { hostileBodies } from '../../support/fixtures/fuzz/hostile-bodies';
import { KnownIds } from '../../support/fixtures/fuzz/known-ids';
import { startService } from '../../support/service/start-service';
import { Scene } from '../../support/clients/scene';
import { Random } from '../../simulation/random';
import type { Target } from '../../support/service/target';

/**
 * Bodies that are made to cost much are refused in few words, whatever operation they are sent to.
 */

const ANSWER_MAX_BYTES = 64 * 1024;
const FAULTS_MAX = 50;
/** Of the bodies for an operation every so many is sent, others to the next operation. */
const SENT_EVERY = amount(12, 1);

let target: Target;
let document: ApiDocument;
let scene: Scene;
const known = new KnownIds(new Random(1));

beforeAll(async () => {
  target = (await startService()).target;
  document = await documentOf(target.url);
  scene = new Scene(target);
  await scene.open();
  const [bookInfoId, postId, courseId, copy] = await Promise.all([
    scene.title(3),
    scene.post({}),
    scene.takenCourse(),
    scene.copy(),
  ]);
  known.learn([{ bookInfoId, postId, courseId, userId: scene.user.userId }, copy]);
});

const withBodies = (id: string) =>
  document
    .operations()
    .find(({ operation }) => operation.operationId === id && operation.requestBody);

const OPERATIONS = Object.keys(MATRIX);

it.each(OPERATIONS)('%s refuses each of them in few words', async (id) => {
  const found = withBodies(id);
  if (!found) return;
  const path = found.template.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(known.pick(name) ?? 1)),
  );
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${scene.tokenOf('admin') ?? ''}`,
  };
  const wrong: string[] = [];
  const bodies = Object.entries(hostileBodies(found)).filter(
    (_body, index) => (index + OPERATIONS.indexOf(id)) % SENT_EVERY === 0,
  );
  for (const [name, body] of bodies) {
    const response = await fetch(`${target.url}${path}`, {
      method: found.method.toUpperCase(),
      headers,
      body,
    });
    const text = await response.text();
    const { errors = [] } = JSON.parse(text) as { errors?: unknown[] };
    if (response.status < 400 || response.status >= 500)
      wrong.push(`${name}: ${response.status} ${text.slice(0, 200)}`);
    if (Buffer.byteLength(text) > ANSWER_MAX_BYTES || errors.length > FAULTS_MAX)
      wrong.push(`${name}: ${Buffer.byteLength(text)} bytes, ${errors.length} faults`);
  }
  expect(wrong).toEqual([]);
});
