import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { pagesConfig, workerConfig } from './config.mjs';

/** Builds the pages. */

const WEB = import.meta.dirname;
const OUT = resolve(WEB, '../../dist/api/web');

await build(pagesConfig(OUT));
await build(workerConfig(OUT));
cpSync(join(WEB, 'docs'), join(OUT, 'docs'), { recursive: true });
