import { freePorts } from '../../../support/servers/ports';
import { newSecret, startEmbedded, type Embedded } from '../../../support/service/processes';
import { targetAt } from '../../../support/service/target';
import { INSTALL_MS, Visitors } from '../../../support/clients/visitors';
import { waitUntil } from '../../../support/wait';

/** The administrator's password that a first start makes and prints. */

/**
 * Sign-ins that come before the account is made are wrong tries; after ten, the next is looked at
 * ten seconds later.
 */
const WAIT_MS = 60_000;
const OWN = 'a password of my own';

interface Start {
  readonly service: Embedded;
  readonly username: string;
  readonly password: string;
}

/** A first start without ADMIN_PASSWORD. */
async function startAt(host: string): Promise<Start> {
  const [metricsPort = 0] = await freePorts(1);
  const env = {
    API_HOST: host,
    METRICS_PORT: String(metricsPort),
    JWT_SECRET: newSecret(),
    ADMIN_USERNAME: '',
    ADMIN_PASSWORD: '',
  };
  const service = await startEmbedded({ env });
  const printed = await service.child.line(
    'prints the password',
    WAIT_MS,
    (line) => /^First administrator: (\S+), password (\S+) /.exec(line) ?? undefined,
  );
  return { service, username: printed[1] ?? '', password: printed[2] ?? '' };
}

interface Reply {
  readonly status: number;
  readonly body: {
    readonly code?: string;
    readonly accessToken: string;
    readonly mustChangePassword?: boolean;
  };
}

async function call(
  url: string,
  [method, path]: readonly [string, string],
  { token, body }: { token?: string; body?: object } = {},
): Promise<Reply> {
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text || '{}') as Reply['body'] };
}

/** The account is made right after the start. */
const signIn = ({ service: { url }, username }: Start, password: string): Promise<Reply> =>
  waitUntil('the administrator signs in', WAIT_MS, async () => {
    const reply = await call(url, ['POST', '/api/auth/login'], { body: { username, password } });
    return reply.status === 200 && reply;
  });

describe('the first password, beyond loopback', () => {
  let start: Start;
  let token: string;
  beforeAll(async () => {
    start = await startAt('0.0.0.0');
    const { body } = await signIn(start, start.password);
    expect(body.mustChangePassword).toBe(true);
    token = body.accessToken;
  });

  it.each([
    ['GET', '/api/users'],
    ['GET', '/api/borrow-histories'],
    ['POST', '/posts'],
    ['GET', '/api/console/commands'],
  ] as const)('lets nobody do %s %s before it is changed', async (...request) => {
    const { status, body } = await call(start.service.url, request, { token });
    expect([status, body.code]).toEqual([403, 'PASSWORD_CHANGE_REQUIRED']);
  });

  it('lets its owner see the own account', async () => {
    expect((await call(start.service.url, ['GET', '/api/users/me'], { token })).status).toBe(200);
  });

  it('lets its owner do everything once it is changed', async () => {
    const { url } = start.service;
    const body = { currentPassword: start.password, newPassword: OWN };
    expect((await call(url, ['PUT', '/api/users/me/password'], { token, body })).status).toBe(204);
    const again = await signIn(start, OWN);
    expect(again.body).not.toHaveProperty('mustChangePassword');
    expect((await call(url, ['GET', '/api/users'], { token: again.body.accessToken })).status).toBe(
      200,
    );
  });
});

it('the first password is good for everything on loopback', async () => {
  const start = await startAt('127.0.0.1');
  const { body } = await signIn(start, start.password);
  expect(body).not.toHaveProperty('mustChangePassword');
  expect(
    (await call(start.service.url, ['GET', '/api/users'], { token: body.accessToken })).status,
  ).toBe(200);
});

it(
  'a page asks for a new password after the first sign-in, and signs in with it',
  async () => {
    const start = await startAt('0.0.0.0');
    await signIn(start, start.password);
    process.env.TEST_JWT_SECRET ??= newSecret();
    const visitors = await Visitors.open(targetAt('embedded', [start.service.url]));
    const page = await visitors.visit({ place: '/sign-in' });
    await page.getByLabel('Username').fill(start.username);
    await page.getByLabel('Password').fill(start.password);
    await page
      .getByRole('main')
      .getByRole('button', { name: 'Sign in', exact: true })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    await page.getByLabel('New password').fill(OWN);
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByRole('banner').getByText(start.username).waitFor();
    expect(visitors.complaints).toEqual([]);
    expect((await signIn(start, OWN)).body).not.toHaveProperty('mustChangePassword');
  },
  INSTALL_MS,
);
