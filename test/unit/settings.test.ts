import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILES, sections } from '../settings/render';
import { ROOT } from '../support/service/child';

/** What people are told of settings is what the programs read. */

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const settings = sections().flatMap((section) => section.settings);
const named = new Map(settings.map((setting) => [setting.name, setting]));

/** The sources of the programs. */
function sources(): string[] {
  const files = ['api', 'shared', 'workers'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(folder, file),
    ),
  );
  return [
    ...files.filter((file) => file.endsWith('.ts') && !file.startsWith(join('api', 'web'))),
    'embedded.ts',
    'standalone.ts',
  ];
}

it.each(Object.entries(FILES))('%s is what `npm run settings` writes', (path, render) => {
  expect(read(path)).toBe(render());
});

it('tells of each setting once, with its meaning and who reads it', () => {
  expect(settings.length).toBe(named.size);
  expect(settings.length).toBeGreaterThan(50);
  for (const setting of settings)
    expect(setting).toMatchObject({
      description: expect.stringMatching(/^[A-Z].*\.$/),
      programs: [expect.any(String), ...setting.programs.slice(1)],
    });
});

it('tells the bounds of every number, and its unit', () => {
  const numbers = settings.filter(({ value }) => /^\d+$/.test(value));
  expect(numbers.length).toBeGreaterThan(10);
  for (const { name, bounds } of numbers)
    expect([name, bounds]).toEqual([
      name,
      expect.stringMatching(name.endsWith('PORT') ? /0 to 65,535$/ : /^[a-z ]+, .*\d/),
    ]);
});

it('tells unit, bounds, default and programs as the schema has them', () => {
  expect(named.get('API_WAIT_MS')).toMatchObject({
    bounds: 'milliseconds, 0 to 30,000',
    fallback: '10000',
    programs: ['start', 'start:api'],
  });
  expect(named.get('HOLD_PICKUP_DAYS')).toMatchObject({
    bounds: 'days, above 0, at most 60',
    programs: ['start', 'start:worker', 'ops'],
  });
  expect(named.get('LOG_LEVEL')).toMatchObject({
    bounds: expect.stringContaining('fatal, error'),
    fallback: 'info; npm start: warn',
  });
});

it.each(['API_HOST', 'METRICS_HOST', 'WORKER_METRICS_HOST'])(
  '%s is loopback by default',
  (name) => {
    expect(named.get(name)?.fallback).toBe('127.0.0.1');
  },
);

it('tells of every variable that a program reads without a schema', () => {
  const direct = sources().flatMap((file) =>
    [...read(file).matchAll(/process\.env(?:\.([A-Z_]+)|\['([A-Z_]+)'\])/g)].map(
      ([, name, quoted]) => name ?? quoted ?? '',
    ),
  );
  expect(direct.length).toBeGreaterThan(0);
  expect(direct.filter((name) => !named.has(name))).toEqual([]);
});

it('writes no line of .env.example that is longer than 100 characters', () => {
  expect(
    read('.env.example')
      .split('\n')
      .filter((line) => line.length > 100),
  ).toEqual([]);
});
