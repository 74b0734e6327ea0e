import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { Sequelize } from 'sequelize-typescript';
import { temporaryFolder } from '../../support/run/cleanup';
import { run } from '../../support/service/child';
import { freePorts } from '../../support/servers/ports';
import { provideProgram } from '../../support/servers/private/programs';
import { startPrivate, START_MS } from '../../support/servers/private/private-server';
import { copiesByTitle } from '../library';
import { SCHEMA } from './postgres';

/** A PostgreSQL server with the library of a benchmark. */

/** The user that Debian's package makes; a server refuses to run as root. */
const USER = 'postgres';
/** As MariaDB's: each commit is on the disk before it is answered. */
const OPTIONS = {
  shared_buffers: '256MB',
  fsync: 'on',
  synchronous_commit: 'on',
  max_connections: '100',
  listen_addresses: '127.0.0.1',
};

/** Debian keeps the server's programs apart for each version. */
async function programFolder(): Promise<string> {
  await provideProgram(
    ['postgresql', '/usr/bin/pg_config', '/usr/bin/psql'],
    'The rival needs PostgreSQL',
  );
  const found = await run(
    { name: 'ls', command: 'sh', args: ['-c', 'ls -d /usr/lib/postgresql/*/bin | tail -1'] },
    START_MS,
  );
  return found.trim();
}

/** Starts a server. Resolves with its URL. */
async function startPostgres(): Promise<string> {
  const programs = await programFolder();
  const folder = await temporaryFolder('postgres');
  await chmod(folder, 0o777);
  const data = join(folder, 'data');
  const as = (program: string, ...args: string[]) => ({
    name: program,
    command: 'runuser',
    args: ['-u', USER, '--', join(programs, program), ...args],
    folder,
  });
  await run(as('initdb', '--pgdata', data, '--auth', 'trust', '--encoding', 'UTF8'), START_MS);
  const [port = 0] = await freePorts(1);
  const url = `postgres://${USER}@127.0.0.1:${port}/postgres`;
  const settings = Object.entries({
    ...OPTIONS,
    port: String(port),
    unix_socket_directories: folder,
  });
  const options = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  await startPrivate(url, as('postgres', '-D', data, ...options), async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.end();
    return true;
  });
  return url;
}

/** A server with titles and copies, and the connection by which a benchmark looks at them. */
export async function postgresLibrary(): Promise<{ url: string; database: Sequelize }> {
  const url = await startPostgres();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(SCHEMA);
  await client.query(
    `INSERT INTO book_info (id, book_title, total_stock, available_stock)
       SELECT id, 'Book ' || id, copies, copies
       FROM unnest($1::BIGINT[]) WITH ORDINALITY AS titles (copies, id)`,
    [copiesByTitle()],
  );
  await client.query(
    'INSERT INTO book (book_info_id) SELECT id FROM book_info, generate_series(1, total_stock) ORDER BY id',
  );
  await client.query('ANALYZE');
  await client.end();
  return {
    url,
    database: new Sequelize(url, { dialect: 'postgres', dialectModule: pg, logging: false }),
  };
}
