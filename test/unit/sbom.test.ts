import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service/child';

/** `npm run -s sbom`: what the image is built of. */

interface Locked {
  readonly name?: string;
  readonly version: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  /** A workspace. */
  readonly link?: boolean;
}

interface Bom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: {
    readonly component: {
      readonly name: string;
      readonly type: string;
      readonly 'bom-ref': string;
    };
  };
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly purl: string;
    readonly hashes?: readonly { readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
const refsWhere = (wanted: (locked: Locked) => boolean): Set<string> =>
  new Set(
    Object.entries(packages).flatMap(([path, locked]) =>
      path.includes('node_modules/') && !locked.link && wanted(locked)
        ? [`${locked.name ?? path.split('node_modules/').at(-1) ?? ''}@${locked.version}`]
        : [],
    ),
  );

let bom: Bom;
beforeAll(() => {
  bom = JSON.parse(
    execFileSync(process.execPath, [join(ROOT, 'deploy/sbom.mjs')], { encoding: 'utf8' }),
  ) as Bom;
}, 60_000);

it('is a CycloneDX document of this application', () => {
  expect(bom).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: expect.stringMatching(/^1\.\d$/),
    metadata: { component: { name: 'lendline', type: 'application' } },
  });
});

it('lists each production dependency of the lock file, and nothing else', () => {
  const refs = bom.components.map((component) => component['bom-ref']);
  expect(refs.sort()).toEqual([...refsWhere(({ dev }) => !dev)].sort());
  expect(refs).toEqual(
    expect.arrayContaining(
      Object.entries(dependencies).map(([name, version]) => `${name}@${version}`),
    ),
  );
});

it('names each by its package URL, with the hash of the lock file', () => {
  const hashes = new Set(
    Object.values(packages).map(({ integrity = '' }) =>
      Buffer.from(integrity.split('-')[1] ?? '', 'base64').toString('hex'),
    ),
  );
  for (const { purl, hashes: own = [] } of bom.components)
    expect([purl, own.some(({ content }) => hashes.has(content))]).toEqual([
      expect.stringMatching(/^pkg:npm\/.+@\d/),
      true,
    ]);
});

it('says what depends on what, among what it lists', () => {
  const refs = new Set(bom.components.map((component) => component['bom-ref'])).add(
    bom.metadata.component['bom-ref'],
  );
  expect(bom.dependencies.length).toBe(refs.size);
  expect(
    bom.dependencies
      .flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
      .filter((ref) => !refs.has(ref)),
  ).toEqual([]);
});
