import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../api/openapi/document';
import { ROOT } from '../support/service/child';

/** Every place that names the version says the one in package.json. */

const text = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const json = (file: string) => JSON.parse(text(file)) as Record<string, unknown>;
const { version, devDependencies } = json('package.json') as {
  version: string;
  devDependencies: Record<string, string>;
};

it('is that of the client, of the lock file and of the documents', () => {
  const { packages } = json('package-lock.json') as {
    packages: Record<string, { version: string }>;
  };
  expect({
    client: json('clients/typescript/package.json')['version'],
    'dependency on it': devDependencies['@lendline/client'],
    'lock file': packages['']?.version,
    'client in it': packages['clients/typescript']?.version,
    'OpenAPI document': VERSION,
  }).toEqual({
    client: version,
    'dependency on it': version,
    'lock file': version,
    'client in it': version,
    'OpenAPI document': version,
  });
});

it('is that of the image and of the package in the documentation', () => {
  expect(text('deploy/kubernetes/overlays/production/kustomization.yaml')).toContain(
    `newTag: ${version}\n`,
  );
  expect(text('docs/operating/README.md')).toContain(`./lendline-${version}.tgz\n`);
});

it('is the latest in the changelog, which may tell of a later one', () => {
  const headings = [...text('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect(headings[0] === 'Unreleased' ? headings[1] : headings[0]).toMatch(
    new RegExp(`^${version.replaceAll('.', '\\.')}, (\\d{4}-\\d\\d-\\d\\d|unreleased)$`),
  );
});
