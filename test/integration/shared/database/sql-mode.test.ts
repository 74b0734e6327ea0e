import { connectDatabase } from '../../../../shared/database/connect';
import { SQL_MODE } from '../../../../shared/database/session';
import type { MysqlConnection } from '../../../../workers/batch/sql/batch-connection';
import { quickValues } from '../../../../workers/batch/sql/quick-values';
import { onCleanUp } from '../../../support/run/cleanup';
import { runOps } from '../../../support/service/ops-program';
import { startMysql } from '../../../support/servers/private/mysql';
import { startServers, type System } from '../../../support/service/processes';

/** A MySQL that by default reads SQL in another way than values are written. */

const STRANGE = [
  '--sql-mode=NO_BACKSLASH_ESCAPES,ANSI_QUOTES',
  '--skip-character-set-client-handshake',
];
/** Ends a literal where a backslash escapes nothing, and goes on as SQL. */
const HOSTILE = `O'Brien \\', is_admin=1 -- "線"`;

let system: System;
beforeAll(async () => {
  const mysql = await startMysql({ options: STRANGE });
  const MYSQL_URL = Object.assign(new URL(mysql.url), { pathname: '/lendline' }).href;
  system = await startServers({ apis: 1, workers: 1, env: { MYSQL_URL } });
});

const post = async (content: string) => {
  const body = JSON.stringify({ title: HOSTILE, content, tags: ["rock 'n' roll"], userId: 1 });
  const answer = await fetch(`${system.apis[0]!.url}/posts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return { status: answer.status, body: (await answer.json()) as { postId: number } };
};

it('stores every text as it was sent', async () => {
  const { status, body } = await post(HOSTILE);
  expect(status).toBe(201);
  const read = await fetch(`${system.apis[0]!.url}/posts/${body.postId}`);
  expect(await read.json()).toMatchObject({
    title: HOSTILE,
    content: HOSTILE,
    tags: ["rock 'n' roll"],
  });
});

it('has the settings of each connection made by us, as doctor says', async () => {
  const { output, code } = await runOps(system.env, 'doctor');
  expect(output).toMatch(/session.*STRICT_TRANS_TABLES.*utf8mb4_general_ci.*\+00:00/);
  expect([0, 1]).toContain(code);
  const database = connectDatabase({ url: system.env.MYSQL_URL ?? '', poolMax: 1 });
  onCleanUp(() => database.close());
  const [[row]] = (await database.query('SELECT @@SESSION.sql_mode AS mode')) as [
    { mode: string }[],
    unknown,
  ];
  expect(row?.mode.split(',').sort()).toEqual([...SQL_MODE].sort());
});

it('gets no values that were escaped for a session whose settings nobody made', () => {
  expect(() => quickValues({} as MysqlConnection, ['"'])).toThrow('settings are unknown');
});
