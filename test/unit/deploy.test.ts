import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/child';

/** What Docker Compose is told. No engine runs in the tests, so the file itself is looked at. */

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const compose = read('docker-compose.yml');

/** The lines of one service. */
function service(name: string): string {
  const [, text = ''] = new RegExp(`\\n  ${name}:\\n((?:    .*\\n|\\n)*)`).exec(compose) ?? [];
  return text;
}

describe('docker-compose.yml', () => {
  it('takes only variables that .env.example explains', () => {
    const named = [...compose.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
    const explained = new Set([...read('.env.example').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name));
    expect([...new Set(named)].filter((name) => !explained.has(name))).toEqual([]);
  });

  it('has no secret and no default for one', () => {
    const passwords = [...compose.matchAll(/\$\{(\w*(?:PASSWORD|SECRET)\w*)(:?[?-]?)/g)];
    expect(passwords.length).toBeGreaterThan(10);
    expect(passwords.filter(([, , rule]) => rule !== ':?')).toEqual([]);
  });

  it.each([
    ['migrate', ['mysql://lendline_migrate:']],
    ['api', ['mysql://lendline_api:', 'amqp://lendline-api:']],
    ['worker', ['mysql://lendline_worker:', 'amqp://lendline-worker:']],
  ])('runs %s with its own accounts', (name, urls) => {
    const given = [...service(name).matchAll(/(?:mysql|amqp):\/\/[\w-]+:/g)].map(([url]) => url);
    expect(given).toEqual(urls);
  });

  it('gives the administrators of MySQL and RabbitMQ to the makers of accounts alone', () => {
    const administrators = /MYSQL_ROOT_PASSWORD|RABBITMQ_ADMIN_PASSWORD/;
    for (const name of ['migrate', 'api', 'worker']) expect(service(name)).not.toMatch(administrators);
    for (const name of ['mysql-accounts', 'rabbitmq-accounts']) expect(service(name)).toMatch(administrators);
  });

  it('takes no program for ready before its accounts are there', () => {
    for (const name of ['api', 'worker']) expect(service(name)).toMatch(/depends_on: [&*]ready/);
    expect(compose).toMatch(/&ready\n\s+migrate: [^\n]+\n\s+rabbitmq-accounts: \{ condition: service_completed_successfully \}/);
    expect(service('migrate')).toContain('mysql-accounts: { condition: service_completed_successfully }');
  });
});
