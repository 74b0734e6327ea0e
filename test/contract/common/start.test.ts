import { createServer, type AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onCleanUp, temporaryFolder } from '../../support/run/cleanup';
import { newSecret, startEmbedded, startInVain } from '../../support/service/processes';
import { signsIn } from '../../support/clients/sign-in';
import { expectStartError } from '../../support/service/start-errors';
import { waitUntil } from '../../support/wait';

/**
 * Starts of the embedded default that cannot go on: one sentence names the culprit, and the exit
 * code is 1.
 */

const PROGRAM = 'standalone.js';
const environment = async () => ({
  DATA_DIR: await temporaryFolder('start'),
  API_PORT: '0',
  JWT_SECRET: newSecret(),
});

const PASSWORD = 'a good pass phrase';
let service: Awaited<ReturnType<typeof startEmbedded>>;
beforeAll(async () => {
  service = await startEmbedded({
    env: {
      ...{ API_WAIT_MS: '', LOG_LEVEL: '', SOMETHING_ELSE: 'x' },
      ...{ ADMIN_USERNAME: '', ADMIN_PASSWORD: PASSWORD },
    },
  });
});

async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanUp(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

describe('a start is refused that has', () => {
  it('several bad values, naming each and showing none', async () => {
    const { code, output } = await startInVain(PROGRAM, {
      ...(await environment()),
      API_PORT: '70000',
      JWT_SECRET: 'hunter2',
      LOAN_DAYS: 'two',
    });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toEqual([
      expect.stringMatching(/API_PORT.*JWT_SECRET.*LOAN_DAYS/),
    ]);
    expect(output).not.toMatch(/hunter2|70000|two/);
  });

  it('an invalid key', async () => {
    await expectStartError(
      PROGRAM,
      { ...(await environment()), JWT_PUBLIC_KEY: 'no key' },
      /\bJWT_PUBLIC_KEY\b/,
    );
  });

  it('an administrator without a password', async () => {
    await expectStartError(
      PROGRAM,
      { ...(await environment()), ADMIN_USERNAME: 'grace' },
      /ADMIN_USERNAME.*ADMIN_PASSWORD/,
    );
  });

  it('a port that is taken', async () => {
    const port = String(await takenPort());
    await expectStartError(
      PROGRAM,
      { ...(await environment()), API_PORT: port },
      new RegExp(`\\b${port}\\b.*API_PORT`),
    );
  });

  it('a host that is not this machine', async () => {
    await expectStartError(
      PROGRAM,
      { ...(await environment()), API_HOST: '192.0.2.1' },
      /API_HOST/,
    );
  });

  it('a data folder that another process uses, which continues undisturbed', async () => {
    const { url, dataDir, child } = service;
    await expectStartError(
      PROGRAM,
      { ...(await environment()), DATA_DIR: dataDir },
      /DATA_DIR.* in use/,
    );
    expect([child.running, (await fetch(`${url}/readyz`)).status]).toEqual([true, 200]);
  });

  it('a data folder that is a file', async () => {
    const file = join(await temporaryFolder('start'), 'file');
    await writeFile(file, '');
    await expectStartError(PROGRAM, { ...(await environment()), DATA_DIR: file }, /DATA_DIR/);
  });

  it('another number of partitions than the first start', async () => {
    const first = await startEmbedded({ env: { COMMAND_PARTITIONS: '3' } });
    await first.stop();
    await expectStartError(
      PROGRAM,
      { ...(await environment()), DATA_DIR: first.dataDir, COMMAND_PARTITIONS: '4' },
      /COMMAND_PARTITIONS is 4.* 3/,
    );
  });
});

describe('a start', () => {
  it('treats an empty variable as absent, and ignores foreign ones', async () => {
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  });

  it('without a configured administrator makes one and prints the password once', async () => {
    const env = { ADMIN_USERNAME: '', ADMIN_PASSWORD: '' };
    const first = await startEmbedded({ env });
    const [, username, password] = await first.child.line(
      'tells the password',
      10_000,
      (line) => /^First administrator: (\S+), password (\S+) /.exec(line) ?? undefined,
    );
    await waitUntil('the administrator signs in', 10_000, () =>
      signsIn(first.url, username as string, password as string),
    );
    await first.stop();
    const second = await startEmbedded({ env, dataDir: first.dataDir });
    await second.stop();
    expect(second.child.output).not.toContain('First administrator');
  });

  it('with ADMIN_PASSWORD alone names the first administrator admin', async () => {
    await waitUntil('the administrator signs in', 10_000, () =>
      signsIn(service.url, 'admin', PASSWORD),
    );
  });

  it('ends with exit code 0 when it is asked to stop', async () => {
    const program = await startEmbedded();
    expect((await program.stop()).code).toBe(0);
  });
});
