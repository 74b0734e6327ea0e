import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
// tsc does not emit declarations that were written as such.
cpSync(generated, join(out, 'generated'), { recursive: true });
