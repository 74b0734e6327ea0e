import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownEnvironment, ROOT, run } from '../service/child';
import { onCleanUp, temporaryFolder } from '../run/cleanup';
import { findProgram } from './private/programs';
import { whenThisProcessIsGone } from '../run/watchdog';

/** How long pulling the images and starting the servers may take, milliseconds. */
const UP_MS = 600_000;
const DOWN_MS = 60_000;

/** The ports inside the containers. */
const PORTS = { mysql: [3306], rabbitmq: [5672, 15672], redis: [6379] } as const;
export type ComposeService = keyof typeof PORTS;

export interface ComposeServers {
  /** `127.0.0.1:port` on this machine for a port inside the container. */
  address(service: ComposeService, port: number): Promise<string>;
  /** Of the administrator of each server. */
  readonly password: string;
}

export async function dockerAnswers(): Promise<boolean> {
  if (!findProgram('docker')) return false;
  return run(
    { name: 'docker info', command: 'docker', args: ['info'], env: ownEnvironment() },
    10_000,
  ).then(
    () => true,
    () => false,
  );
}

/**
 * Starts services of docker-compose.yml under a project name of their own, published on free ports
 * of loopback.
 */
export async function startCompose(services: readonly ComposeService[]): Promise<ComposeServers> {
  const project = `lendline-test-${process.pid}-${Date.now().toString(36)}`;
  // Our docker-compose.yml publishes fixed ports or none.
  const override = join(await temporaryFolder('compose'), 'ports.yml');
  const published = services.map(
    (service) =>
      `  ${service}:\n    ports: !override [${PORTS[service].map((port) => `"127.0.0.1::${port}"`).join(', ')}]\n`,
  );
  await writeFile(override, `services:\n${published.join('')}`);
  const password = randomBytes(12).toString('hex');
  const definition = await readFile(join(ROOT, 'docker-compose.yml'), 'utf8');
  const secrets = [...definition.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => [
    name,
    password.repeat(2),
  ]);
  const env = { ...ownEnvironment(), ...(Object.fromEntries(secrets) as Record<string, string>) };
  const files = [
    'compose',
    '--project-name',
    project,
    '--file',
    join(ROOT, 'docker-compose.yml'),
    '--file',
    override,
  ];
  const compose = (deadlineMs: number, ...args: string[]) =>
    run(
      {
        name: `docker compose ${args[0] ?? ''}`,
        command: 'docker',
        args: [...files, ...args],
        env,
      },
      deadlineMs,
    );

  const callOff = whenThisProcessIsGone(
    'docker compose --project-name "$1" down --volumes --timeout 1',
    project,
  );
  onCleanUp(async () => {
    await compose(DOWN_MS, 'down', '--volumes', '--timeout', '1');
    callOff();
  });
  await compose(UP_MS, 'up', '--detach', '--wait', ...services);
  return {
    address: async (service, port) =>
      (await compose(DOWN_MS, 'port', service, String(port))).trim(),
    password: password.repeat(2),
  };
}
