import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { administratorMade } from '../../../support/clients/sign-in';
import { sampleOf } from '../../../support/run/amount';
import { temporaryFolder } from '../../../support/run/cleanup';
import { freshDatabase } from '../../../support/servers/fresh';
import {
  INSTALLATIONS,
  startService,
  type Installation,
} from '../../../support/service/start-service';
import { OpsShell } from '../../../support/service/ops-shell';
import { onDatabase } from '../../../support/servers/rows';
import type { TargetName } from '../../../support/service/target';

/** What operators do is in the audit, and a line of their program. */

/** Of all installations here. */
const shell = new OpsShell();

interface Entry {
  readonly actorName: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The entries of an action, the oldest first. */
const entriesOf = ({ env }: Pick<Installation, 'env'>, action: string): Promise<Entry[]> =>
  onDatabase(env, async (select) => {
    const rows = await select(
      `SELECT actor_name, details FROM audit WHERE action = '${action}' ORDER BY id`,
    );
    return rows.map(({ actor_name: actorName, details }) => ({
      actorName: String(actorName),
      facts: (typeof details === 'string' ? JSON.parse(details) : details) as Entry['facts'],
    }));
  });

const lineOf = (output: string, action: string): unknown => {
  const line = output
    .split('\n')
    .find((text) => text.includes('"audit":true') && text.includes(`"${action}"`));
  return JSON.parse(line ?? 'null');
};

async function expectAudited(
  installation: Installation,
  args: readonly string[],
  action: string,
  facts: object,
): Promise<void> {
  const { code, output } = await shell.runIn(installation.env, ...args);
  expect([code, output]).toEqual([0, output]);
  const actorName = expect.stringMatching(/^ops/) as string;
  expect(await entriesOf(installation, action)).toEqual([
    { actorName, facts: expect.objectContaining(facts) as object },
  ]);
  expect(lineOf(output, action)).toMatchObject({ audit: true, action, userId: null, ...facts });
}

/** Each is started once. */
const started = new Map<TargetName, Promise<Installation>>();
const installationOf = (name: TargetName): Promise<Installation> => {
  const installation = started.get(name) ?? startService({ on: name });
  started.set(name, installation);
  return installation;
};

describe.each(sampleOf(INSTALLATIONS, 'servers'))('the audit of an operator (%s)', (name) => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await installationOf(name);
  });

  it('records a seed and its size', async () => {
    await expectAudited(
      installation,
      ['seed', '--titles', '3', '--users', '2', '--borrows', '4'],
      'ops.seed',
      { titles: 3, users: 2, borrows: 4 },
    );
  });

  it('records an import and its file', async () => {
    await administratorMade(installation.target.url);
    const file = join(await temporaryFolder('import'), 'posts.csv');
    writeFileSync(file, 'title,content,tags,userId\nA title,Some content,a,1\n');
    await expectAudited(
      installation,
      ['import-posts', file, '--url', installation.target.url],
      'ops.import-posts',
      { file: basename(file) },
    );
  });
});

describe('the audit of an operator of servers', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await installationOf('servers');
  });

  it('records the migrations that ran, and nothing when none ran', async () => {
    const empty = { env: { MYSQL_URL: await freshDatabase() } };
    for (let runs = 0; runs < 2; runs += 1)
      expect(await shell.runIn(empty.env, 'migrate')).toMatchObject({ code: 0 });
    const [first, ...more] = await entriesOf(empty, 'ops.migrate');
    expect(first?.facts).toMatchObject({ ran: expect.arrayContaining(['0022-audit']) as string[] });
    expect(more).toEqual([]);
  });

  it('records a change of the number of partitions', async () => {
    await expectAudited(installation, ['partitions', 'resize', '5'], 'ops.partitions.resize', {
      from: expect.any(Number) as number,
      to: 5,
    });
  });
});
