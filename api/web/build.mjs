import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import openapiTypes, { astToString } from 'openapi-typescript';
import { build } from 'vite';

/**
 * Builds the pages, after the service itself: types of the API from the document that the built
 * service serves, so that a page which asks for what is not there fails `npm run lint`; then their
 * files, with names that change with what they hold.
 */

const WEB = import.meta.dirname;
const DIST = resolve(WEB, '../../dist');
const OUT = join(DIST, 'api/web');
const TYPES = join(WEB, 'shared/generated/api.d.ts');
/** How long the service may take to serve its document, milliseconds. */
const DOCUMENT_MS = 60_000;

const PAGES = ['reader', 'console'];

/** Libraries mark code for servers that render; here is none. */
const onLog = (level, log, tell) => {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
};

/**
 * The document of the built service, run on an empty folder and with nothing of this environment's
 * settings.
 */
async function servedDocument() {
  const folder = mkdtempSync(join(tmpdir(), 'lendline-build-'));
  const env = { PATH: process.env.PATH, DATA_DIR: folder, API_PORT: '0' };
  const service = spawn(process.execPath, [join(DIST, 'standalone.js')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: DOCUMENT_MS,
  });
  const ended = once(service, 'close');
  try {
    for await (const line of createInterface(service.stdout)) {
      const url = /http:\S+/.exec(line)?.[0];
      if (url) return await (await fetch(`${url}/openapi.json`)).json();
    }
    throw new Error('The built service ended before it said where it listens.');
  } finally {
    service.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
}

mkdirSync(join(WEB, 'shared/generated'), { recursive: true });
writeFileSync(
  TYPES,
  astToString(await openapiTypes(await servedDocument(), { defaultNonNullable: false })),
);
await build({
  root: WEB,
  configFile: false,
  logLevel: 'warn',
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: { input: PAGES.map((page) => join(WEB, page, 'index.html')), onLog },
  },
});
cpSync(join(WEB, 'docs'), join(OUT, 'docs'), { recursive: true });
