import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { COMMANDS } from '../../api/web/shared/texts-en-coded';
import { services } from '../../shared/services';
import { expectListed } from '../support/check/listed';
import { EVENT_DATA } from '../support/clients/event-tour';
import { ROOT } from '../support/service/child';

/** What the compiler does not ask for of a new service, and of a new command or event. */

/** Where commands are made: by endpoints, by the API itself, by time and by other commands. */
const SENDERS = /^(?:api\/(?!web\/).*|workers\/\w+\/(?:belongings|due|partition-change))[.]ts$/;
/** These name commands, and send none. */
const OTHERS = /schemas[.]ts$|^api\/\w+\/service[.]ts$/;

/** Nobody waits for these at a page, or they are asked on the way. */
const NOT_SHOWN = [
  'identity.ensure-user',
  'identity.probe',
  'lending.check-borrow',
  'lending.expire-hold',
  'lending.remind-borrower',
];

function sourceOfSenders(): string {
  const files = ['api', 'workers'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(folder, file),
    ),
  );
  return files
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => SENDERS.test(file) && !OTHERS.test(file))
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
}

it('each command has a sender: an endpoint, the clock or another command', () => {
  const source = sourceOfSenders();
  const unsent = services.commandTypes.filter((type) => !source.includes(`'${type}'`));
  expect(unsent.map((type) => `nothing sends ${type}`)).toEqual([]);
});

it('each command that a page can send has a name there, and no other has', () => {
  const named = Object.keys(COMMANDS);
  const unnamed = services.commandTypes.filter(
    (type) => !NOT_SHOWN.includes(type) && !named.includes(type),
  );
  expect(
    unnamed.map((type) => `COMMANDS of api/web/shared/texts-en-coded.ts does not name ${type}`),
  ).toEqual([]);
  expect(named.filter((type) => !services.commandTypes.includes(type))).toEqual([]);
});

it('the members of each type of event are known', () => {
  const where = 'EVENT_DATA of test/support/clients/event-tour.ts';
  expectListed(where, Object.keys(EVENT_DATA), services.eventTypes);
});

const sourceOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );

it('each migration is run', () => {
  const migrations = 'shared/database/migrations';
  const run = [...sourceOf('shared/database/migrate.ts').matchAll(/\{ name: '([^']+)'/g)];
  const files = filesIn(migrations).filter((file) => /^\d{4}-/.test(file));
  expectListed(
    'shared/database/migrate.ts',
    run.map(([, name = '']) => name),
    files.map((file) => file.replace(/[.]ts$/, '')),
  );
});

it('the models of all tables are known to Sequelize', () => {
  const known = [...sourceOf('shared/database/connect.ts').matchAll(/[.]{3}(\w+Tables),/g)];
  const lists = filesIn('shared').flatMap((file) => [
    ...sourceOf(join('shared', file)).matchAll(/export const (\w+Tables) = \[/g),
  ]);
  expectListed(
    'TABLES of shared/database/connect.ts',
    known.map(([, name = '']) => name),
    lists.map(([, name = '']) => name),
  );
});

/** Accounts need no random sequences: the tests of each command try what can follow what. */
const WITHOUT_SEQUENCES = ['identity'];

it('each service is compared with a reference in random sequences, alone and on a database', () => {
  const wanted = services.names
    .filter((name) => !WITHOUT_SEQUENCES.includes(name))
    .flatMap((name) => [
      `test/unit/${name}/model.test.ts`,
      `test/integration/workers/batch/random-${name}.test.ts`,
    ]);
  const missing = wanted.filter((file) => !existsSync(join(ROOT, file)));
  expect(missing.map((file) => `there is no ${file}`)).toEqual([]);
});

it('docs/events.md lists each type of event', () => {
  const page = readFileSync(join(ROOT, 'docs', 'events.md'), 'utf8');
  const section = page.slice(page.indexOf('## Types'), page.indexOf('## Webhooks'));
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((line) =>
    [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, type]) => type),
  );
  const missing = services.eventTypes.filter((type) => !listed.includes(type));
  expect(missing.map((type) => `docs/events.md does not list ${type}`)).toEqual([]);
  expect(listed.filter((type) => !services.eventTypes.includes(type ?? ''))).toEqual([]);
});
