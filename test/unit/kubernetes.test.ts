import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { IContainer } from 'kubernetes-models/v1/Container';
import { readApiConfig } from '../../api/config';
import { SHUTDOWN_MS } from '../../shared/program';
import { readWorkerConfig } from '../../workers/config';
import { PROGRAMS } from '../settings/programs';
import { ROOT } from '../support/service/child';
import { build, readManifests, type Manifest } from '../support/service/kubernetes/kustomize';
import { containerOf, environmentOf, podsOf } from '../support/service/kubernetes/pods';
import { faultOf, typeFaults } from '../support/service/kubernetes/schemas';
import { findProgram } from '../support/servers/private/programs';

/** What Kubernetes is told. No cluster runs in the tests, so the manifests are looked at. */

const FOLDER = join(ROOT, 'deploy/kubernetes');
const OVERLAYS = ['try', 'production'] as const;
const built = Object.fromEntries(
  OVERLAYS.map((overlay) => [overlay, build(join(FOLDER, 'overlays', overlay))]),
) as Record<(typeof OVERLAYS)[number], Manifest[]>;
/** How many partitions an installation has that says nothing of them. */
const PARTITIONS_DEFAULT = 16;

const secrets = readManifests(
  execFileSync('sh', [join(FOLDER, 'try-secrets.sh')], { encoding: 'utf8' }),
);
const secretValue = (name: string, key: string) =>
  (
    secrets.find(({ metadata }) => metadata.name === name)?.['stringData'] as
      | Record<string, string>
      | undefined
  )?.[key];

/** The containers that run our image, with the npm script of their program. */
function programsOf(manifests: readonly Manifest[]): [string, IContainer][] {
  const scripts: Record<string, string> = {
    'dist/api/main.js': 'start:api',
    'dist/workers/main.js': 'start:worker',
    'dist/workers/ops/main.js': 'ops',
  };
  return podsOf(manifests)
    .flatMap(({ spec }) => spec.containers)
    .flatMap((container) => {
      const script = scripts[container.command?.[1] ?? ''];
      return script ? [[script, container] as [string, IContainer]] : [];
    });
}

describe.each(OVERLAYS)('the overlay %s', (overlay) => {
  const manifests = built[overlay];

  it('fits the published schemas', () => {
    expect(manifests.map(faultOf).filter(Boolean)).toEqual([]);
    expect(manifests.length).toBeGreaterThan(12);
  });

  it('has no field that the schemas do not know', () => {
    expect(typeFaults(manifests)).toEqual([]);
  });

  it('is built by kustomize in the same way, where it is installed', () => {
    const kubectl = kubectlWithKustomize();
    if (!kubectl) return;
    const theirs = execFileSync(kubectl, ['kustomize', join(FOLDER, 'overlays', overlay)], {
      encoding: 'utf8',
    });
    expect(inOrder(readManifests(theirs))).toEqual(inOrder(manifests));
  });

  it('sets only variables that their program reads', () => {
    const programs = programsOf(manifests);
    expect(new Set(programs.map(([script]) => script)).size).toBe(3);
    for (const [script, { env = [] }] of programs) {
      const read = new Set([...Object.keys(PROGRAMS[script]!), 'NODE_OPTIONS']);
      expect(env.map(({ name }) => name).filter((name) => !read.has(name))).toEqual([]);
    }
  });

  it('gives APIs and workers all that they cannot start without', () => {
    const api = containerOf(manifests, 'Deployment', 'lendline-api').container;
    const worker = containerOf(manifests, 'Deployment', 'lendline-worker').container;
    const own = ['MYSQL_URL', 'RABBITMQ_URL', 'REDIS_URL'];
    expect(api.env!.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...own, 'JWT_SECRET', 'ADMIN_PASSWORD']),
    );
    expect(worker.env!.map(({ name }) => name)).toEqual(expect.arrayContaining(own));
    expect(readApiConfig(environmentOf(api, secretValue)).API_HOST).toBe('0.0.0.0');
    expect(readWorkerConfig(environmentOf(worker, secretValue)).WORKER_METRICS_PORT).toBe(9464);
  });

  it('lets pods stop for longer than a program takes at most', () => {
    for (const name of ['lendline-api', 'lendline-worker']) {
      const { pod, container } = containerOf(manifests, 'Deployment', name);
      const before = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
      expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(before + SHUTDOWN_MS / 1000);
    }
  });

  it('runs our image as nobody, without rights and without a place to write', () => {
    const pods = podsOf(manifests).filter(({ spec }) =>
      spec.containers.some(({ image }) => /(?:^|\/)lendline(?::|$)/.test(image ?? '')),
    );
    expect(pods.length).toBeGreaterThanOrEqual(3);
    for (const { spec } of pods) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532 });
      expect(spec.securityContext?.seccompProfile?.type).toBe('RuntimeDefault');
      expect([spec.automountServiceAccountToken, spec.enableServiceLinks]).toEqual([false, false]);
      for (const { securityContext } of spec.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it('asks each probe at a port that its container names', () => {
    for (const name of ['lendline-api', 'lendline-worker']) {
      const { container } = containerOf(manifests, 'Deployment', name);
      const ports = container.ports!.map((port) => port.name);
      const { startupProbe, livenessProbe, readinessProbe } = container;
      for (const probe of [startupProbe, livenessProbe, readinessProbe])
        expect(ports).toContain(probe?.httpGet?.port);
      expect(readinessProbe?.httpGet?.path).toBe('/readyz');
    }
  });

  it('selects by labels that pods have', () => {
    const labels = podsOf(manifests).map(({ metadata }) => metadata.labels);
    const selectors = manifests.flatMap((one) => {
      const { selector, podSelector } = (one['spec'] ?? {}) as Record<string, unknown>;
      const given = (selector ?? podSelector ?? {}) as Record<string, unknown>;
      const wanted = (given['matchLabels'] ?? given) as Record<string, string>;
      return Object.keys(wanted).length > 0 ? [wanted] : [];
    });
    expect(selectors.length).toBeGreaterThan(8);
    for (const wanted of selectors)
      expect(
        labels.some((has) => Object.entries(wanted).every(([name, value]) => has[name] === value)),
      ).toBe(true);
  });
});

describe('what is checked here', () => {
  const [deployment] = built.try.filter(({ kind }) => kind === 'Deployment');

  it('finds a value that a schema forbids', () => {
    expect(faultOf({ ...deployment!, spec: { replicas: 'two' } })).toContain('replicas');
  });

  it('finds a field that no schema knows', () => {
    const spec = { ...(deployment!['spec'] as object), replica: 2 };
    expect(typeFaults([{ ...deployment!, spec }])).toEqual([expect.stringContaining('replica')]);
  });
});

describe('the scaling of workers in production', () => {
  const scaled = built.production.find(({ kind }) => kind === 'ScaledObject')!['spec'] as {
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly fallback: { readonly replicas: number };
    readonly triggers: readonly { readonly metadata: Record<string, string> }[];
  };

  it('never has more workers than partitions', () => {
    const { container } = containerOf(built.production, 'Deployment', 'lendline-worker');
    const set = container.env!.find(({ name }) => name === 'COMMAND_PARTITIONS')?.value;
    expect(scaled.maxReplicaCount).toBeLessThanOrEqual(Number(set ?? PARTITIONS_DEFAULT));
    expect(scaled.fallback.replicas).toBeLessThanOrEqual(scaled.maxReplicaCount);
    expect(scaled.minReplicaCount).toBeGreaterThanOrEqual(2);
  });

  it('reads the metrics of its own namespace', () => {
    const { namespace } = containerNamespace();
    const named = scaled.triggers[0]!.metadata['query']!.match(/namespace="[^"]*"/g);
    expect(new Set(named)).toEqual(new Set([`namespace="${namespace}"`]));
  });

  it('leaves the number of pods to those who scale them', () => {
    for (const manifest of built.production.filter(({ kind }) => kind === 'Deployment'))
      expect(manifest['spec']).not.toHaveProperty('replicas');
  });

  function containerNamespace() {
    return built.production.find(({ kind }) => kind === 'Deployment')!.metadata;
  }
});

/** Those before 1.24 build with a kustomize of 2019 and do not tell its version. */
function kubectlWithKustomize(): string | null {
  const kubectl = findProgram('kubectl');
  if (!kubectl) return null;
  const told = execFileSync(kubectl, ['version', '--client', '--output=json'], {
    encoding: 'utf8',
  });
  return 'kustomizeVersion' in (JSON.parse(told) as object) ? kubectl : null;
}

/** By kind and name, with the lists that have no order sorted, too. */
function inOrder(manifests: readonly Manifest[]): unknown {
  const sorted = JSON.parse(JSON.stringify(manifests), (field, value: unknown) =>
    field === 'env'
      ? (value as { name: string }[]).toSorted((a, b) => a.name.localeCompare(b.name))
      : value,
  ) as Manifest[];
  const keyOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
  return sorted.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)));
}
