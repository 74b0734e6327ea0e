import { join } from 'node:path';
import supertest from 'supertest';
import { sampleOf } from '../../support/run/amount';
import { Child, ROOT } from '../../support/service/child';
import { INSTALLATIONS } from '../../support/service/start-service';
import {
  newSecret,
  startEmbedded,
  startServers,
  type Environment,
} from '../../support/service/processes';
import {
  exportedSecret,
  targetAt,
  type Target,
  type TargetName,
} from '../../support/service/target';
import { waitUntil } from '../../support/wait';

/**
 * A service that the product does not have (`test/toy`), in an installation that had data before:
 * the engine takes whatever services it is given.
 */

const READY_MS = 60_000;

function toy(program: string, args: readonly string[], env: Environment): Child {
  const register = ['--require', join(ROOT, 'test/support/run/register.js')];
  const path = join(ROOT, 'test/toy/program.ts');
  return new Child({
    name: `toy ${program}`,
    command: process.execPath,
    args: [...register, path, program, ...args],
    env,
  });
}

const addressIn = (line: string) =>
  /(?:listens at |"url":")(http:[^\s"]+)/.exec(line)?.[1]?.replace('localhost', '127.0.0.1');
const listening = (child: Child) => child.line('listens', READY_MS, addressIn);

async function embedded(secret: Environment): Promise<Target> {
  const before = await startEmbedded({ env: secret });
  await before.stop();
  const env = { ...secret, API_HOST: '127.0.0.1', API_PORT: '0', DATA_DIR: before.dataDir };
  return targetAt('embedded', [await listening(toy('embedded', [], env))]);
}

async function servers(secret: Environment): Promise<Target> {
  const before = await startServers({ env: secret });
  await before.stop();
  const migrate = toy('ops', ['migrate', '--json'], before.env);
  expect(await migrate.exited).toMatchObject({ code: 0 });
  expect(migrate.output).toContain('{"ran":["9001-guests"]}');
  const worker = toy('worker', [], before.workerEnv);
  await worker.line('is ready', READY_MS, (line) => line.includes('"msg":"ready"') || undefined);
  return targetAt('servers', [await listening(toy('api', [], before.apiEnv))]);
}

const STARTS: Readonly<Record<TargetName, (secret: Environment) => Promise<Target>>> = {
  embedded,
  servers,
};

describe.each(sampleOf(INSTALLATIONS, 'embedded'))('a service that is new here (%s)', (name) => {
  let target: Target;
  beforeAll(async () => {
    target = await STARTS[name]({ JWT_SECRET: exportedSecret(newSecret) });
  }, 240_000);

  const as = (token: string) => ({ Authorization: `Bearer ${token}` });

  it('has its commands carried out in order, its events told, and its outcomes kept', async () => {
    const token = target.token();
    const sign = (guest: string) =>
      supertest(target.url).post('/api/guests').set(as(token)).send({ name: guest });
    const first = await sign('Mina');
    expect(first.body).toEqual({ entryId: 1, name: 'Mina' });
    expect({ status: first.status, location: first.headers.location }).toEqual({
      status: 201,
      location: '/api/guests/1',
    });
    expect((await sign('Jun')).body).toEqual({ entryId: 2, name: 'Jun' });
    const events = await waitUntil('both events are published', READY_MS, async () => {
      const page = await supertest(target.url)
        .get('/api/events?after=&type=guests')
        .set(as(target.admin));
      return page.body.items.length === 2 && page;
    });
    expect(events.body.items).toMatchObject([
      { type: 'guests.entry.added', subject: 'guest-book:1', sequence: 1, data: first.body },
      { sequence: 2, data: { entryId: 2, name: 'Jun' } },
    ]);
    const commandId = events.body.items[0].commandid as string;
    const command = await supertest(target.url).get(`/api/commands/${commandId}`).set(as(token));
    expect(command.body).toMatchObject({ type: 'guests.sign', result: first.body });
  });

  it('has its rules held, and stands in the documents', async () => {
    const refused = await supertest(target.url)
      .post('/api/guests')
      .set(as(target.token()))
      .send({ name: '' });
    expect({ status: refused.status, code: refused.body.code }).toEqual({
      status: 400,
      code: 'VALIDATION_FAILED',
    });
    const [openApi, asyncApi] = await Promise.all(
      ['/openapi.json', '/asyncapi.json'].map((path) => supertest(target.url).get(path)),
    );
    expect(openApi?.body.paths['/api/guests'].post.operationId).toBe('signGuestBook');
    expect(asyncApi?.body.channels['guests.entry.added']).toBeDefined();
  });
});
