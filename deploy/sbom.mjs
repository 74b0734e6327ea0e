// Prints what the image is built of as a CycloneDX document: the production dependencies of the
// lock file. `npm sbom --omit dev` leaves out packages that a development dependency needs as well,
// so we choose them here.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Most bytes of what npm prints: ten times what it printed for 850 packages. */
const OUTPUT_BYTES_MAX = 10_000_000;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

const command = [
  'sbom',
  '--sbom-format',
  'cyclonedx',
  '--sbom-type',
  'application',
  '--package-lock-only',
];
const document = JSON.parse(
  execFileSync('npm', command, { cwd: root, encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX }),
);

const nameAt = (path, { name }) => name ?? path.split('node_modules/').at(-1);
// The client is ours, and runs elsewhere.
const installed = Object.entries(read('package-lock.json').packages).filter(
  ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
);
const refs = new Set(installed.map(([path, entry]) => `${nameAt(path, entry)}@${entry.version}`));

const { component } = document.metadata;
// npm names it after the folder.
component.name = read('package.json').name;
document.components = document.components.filter((one) => refs.has(one['bom-ref']));
const told = new Set([component['bom-ref'], ...document.components.map((one) => one['bom-ref'])]);
document.dependencies = document.dependencies
  .filter(({ ref }) => told.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => told.has(one)) }));

process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
