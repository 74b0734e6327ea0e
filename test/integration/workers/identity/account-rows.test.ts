import { sampleOf } from '../../../support/run/amount';
import {
  ADMIN,
  newSecret,
  startEmbedded,
  startServers,
  type Environment,
} from '../../../support/service/processes';
import { onDatabase } from '../../../support/servers/rows';
import { waitUntil } from '../../../support/wait';

/** Changes of users' rows that somebody makes with SQL, so that no program is told. */

/** Programs look at a row again every few seconds. */
const SEEN_MS = 60_000;

interface Running {
  readonly url: string;
  readonly env: Environment;
  /** A process that has met nobody, on the same data; returns its address. */
  readonly anew: () => Promise<string>;
}

const ways: Record<string, () => Promise<Running>> = {
  embedded: async () => {
    const own = { env: { JWT_SECRET: newSecret() } };
    const first = await startEmbedded(own);
    const { url, dataDir } = first;
    const anew = async () => {
      await first.stop();
      return (await startEmbedded({ ...own, dataDir })).url;
    };
    return { url, env: { DATA_DIR: dataDir }, anew };
  },
  'on servers': async () => {
    const system = await startServers();
    const anew = async () => (await system.addApi()).url;
    return { url: system.apis[0]!.url, env: system.env, anew };
  },
};

describe.each(sampleOf(Object.keys(ways), 'on servers'))(
  'an administrator who signed in, %s,',
  (way) => {
    let running: Running;
    beforeAll(async () => {
      running = await ways[way]!();
    }, 120_000);

    async function signIn(): Promise<string> {
      return waitUntil('the administrator signs in', SEEN_MS, async () => {
        const headers = { 'Content-Type': 'application/json' };
        const response = await fetch(`${running.url}/api/auth/login`, {
          method: 'POST',
          headers,
          body: JSON.stringify(ADMIN),
        });
        const { accessToken } = (await response.json()) as { accessToken?: string };
        return accessToken ?? false;
      });
    }

    const call = async (token: string, path: string, body?: object) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const response = await fetch(`${running.url}${path}`, {
        headers,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      const { code } = (await response.json()) as { code?: string };
      return { status: response.status, code };
    };

    const change = (sql: string) => onDatabase(running.env, (run) => run(sql));
    const LETTERS = '/api/console/dead-letters';

    it('stays signed out at a process that is started later', async () => {
      const [ended, kept] = [await signIn(), await signIn()];
      const headers = { Authorization: `Bearer ${ended}` };
      const { status } = await fetch(`${running.url}/api/auth/logout`, { method: 'POST', headers });
      expect(status).toBe(204);
      running = { ...running, url: await running.anew() };
      expect((await call(ended, LETTERS)).code).toBe('TOKEN_REVOKED');
      expect((await call(kept, LETTERS)).status).toBe(200);
    });

    it('reads the console no longer when the row says is_admin = 0', async () => {
      const token = await signIn();
      expect((await call(token, LETTERS)).status).toBe(200);
      await change(`UPDATE user SET is_admin = 0 WHERE username = '${ADMIN.username}'`);
      await waitUntil(
        'the change is seen',
        SEEN_MS,
        async () => (await call(token, LETTERS)).status === 403,
      );
      await change(`UPDATE user SET is_admin = 1 WHERE username = '${ADMIN.username}'`);
      await waitUntil(
        'the change is seen',
        SEEN_MS,
        async () => (await call(token, LETTERS)).status === 200,
      );
    });

    it('makes no administrator again when the row is deleted', async () => {
      const token = await signIn();
      expect((await call(token, LETTERS)).status).toBe(200);
      await change(`DELETE FROM user WHERE username = '${ADMIN.username}'`);
      await waitUntil(
        'the change is seen',
        SEEN_MS,
        async () => (await call(token, LETTERS)).code === 'TOKEN_REVOKED',
      );
      const account = { username: 'another', password: 'correct horse battery', isAdmin: true };
      expect(await call(token, '/api/users', account)).toEqual({
        status: 401,
        code: 'TOKEN_REVOKED',
      });
      const rows = await onDatabase(running.env, (select) => select('SELECT username FROM user'));
      expect(rows).toEqual([]);
    });
  },
);
