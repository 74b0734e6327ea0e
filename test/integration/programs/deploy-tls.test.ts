import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/service/child';
import { temporaryFolder } from '../../support/run/cleanup';
import { OpsShell } from '../../support/service/ops-shell';
import { runOps } from '../../support/service/ops-program';
import { freePorts } from '../../support/servers/ports';
import { startRabbitmq } from '../../support/servers/private/rabbitmq';

/** deploy/rabbitmq/tls.conf, with certificates as deploy/try-certificates.sh makes them. */

const PASSWORD = 'twelve-or-more-letters';
const accounts = {
  RABBITMQ_WORKER_PASSWORD: PASSWORD,
  RABBITMQ_API_PASSWORD: PASSWORD,
  RABBITMQ_MONITOR_PASSWORD: PASSWORD,
};

/**
 * The lines of the file for this machine. The test support asks the broker without TLS whether it
 * is ready.
 */
function linesFor(folder: string, [amqps = 0, https = 0]: readonly number[]): string[] {
  const text = readFileSync(join(ROOT, 'deploy/rabbitmq/tls.conf'), 'utf8');
  const own = text
    .replaceAll('/certificates/', `${folder}/`)
    .replace(' = 5671', ` = ${amqps}`)
    .replace(' = 15671', ` = ${https}`);
  return own
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && line !== 'listeners.tcp = none');
}

it('lets a broker take AMQP and its management API over TLS that our programs verify', async () => {
  const folder = await temporaryFolder('certificates');
  execFileSync('sh', [join(ROOT, 'deploy/try-certificates.sh'), folder], { stdio: 'pipe' });
  const ports = await freePorts(2);
  await startRabbitmq(linesFor(folder, ports));
  const told = new OpsShell({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') });
  const management = {
    ...accounts,
    RABBITMQ_MANAGEMENT_URL: `https://guest:guest@localhost:${ports[1]}`,
  };
  expect(await told.runIn(management, 'accounts', 'rabbitmq')).toMatchObject({
    code: 0,
    output: expect.stringContaining('lendline-api'),
  });
  // Whoever is not told of the authority does not trust it.
  expect(await runOps(management, 'accounts', 'rabbitmq')).toMatchObject({ code: 1 });
  const broker = {
    RABBITMQ_URL: `amqps://lendline-worker:${PASSWORD}@localhost:${ports[0]}`,
    MYSQL_URL: 'mysql://root@127.0.0.1:9/lendline',
    REDIS_URL: 'redis://127.0.0.1:9',
  };
  const { json } = await told.runIn(broker, 'doctor', '--json');
  expect(
    (json.findings as { about: string }[]).filter(({ about }) => about === 'RabbitMQ'),
  ).toMatchObject([{ state: 'ok' }]);
});
