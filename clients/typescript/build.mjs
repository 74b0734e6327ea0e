import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';

/**
 * Builds the client. Its types are made from the OpenAPI document of the built service, so that a
 * page or an example which asks for what is not there does not compile.
 */

const HERE = import.meta.dirname;
const ROOT = resolve(HERE, '../..');

const document = JSON.parse(readFileSync(join(ROOT, 'dist/openapi.json'), 'utf8'));
const types = astToString(await openapiTypes(document, { defaultNonNullable: false }));
const generated = join(HERE, 'src/generated');
const out = join(HERE, 'dist');
mkdirSync(generated, { recursive: true });
writeFileSync(join(generated, 'api.d.ts'), types);
rmSync(out, { recursive: true, force: true });
const tsc = join(ROOT, 'node_modules/typescript-native/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', HERE], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
// The programs take some of the sources as CommonJS; the package is of ES modules.
writeFileSync(join(out, 'package.json'), '{ "type": "module" }\n');
// tsc leaves the declarations leading to each other by the names of their sources, or without one.
for (const name of readdirSync(out).filter((file) => file.endsWith('.d.ts'))) {
  const text = readFileSync(join(out, name), 'utf8');
  const mended = text.replaceAll(/((?:from |import\()(['"])\.\/[\w/]+)(?:\.ts)?\2/g, '$1.js$2');
  writeFileSync(join(out, name), mended);
}
// tsc does not emit declarations that were written as such.
cpSync(generated, join(out, 'generated'), { recursive: true });
