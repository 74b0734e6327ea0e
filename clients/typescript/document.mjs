import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** Keeps the OpenAPI document that the built service serves as `dist/openapi.json`. */

const DIST = resolve(import.meta.dirname, '../../dist');
/** How long the service may take to serve its document on a busy machine, milliseconds. */
const DOCUMENT_MS = 300_000;

/** The service runs on an empty folder and with nothing of this environment's settings. */
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
    const said = [];
    for await (const line of createInterface(service.stdout)) {
      said.push(line);
      const url = /http:\S+/.exec(line)?.[0];
      if (!url || service.killed) continue;
      const answer = await fetch(`${url}/openapi.json`);
      if (answer.ok) return await answer.text();
      said.push(`GET /openapi.json was answered with ${answer.status}.`);
      // The log says why, and comes before the end.
      service.kill();
    }
    throw new Error(`The built service has served no document. It said:\n${said.join('\n')}`);
  } finally {
    service.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
}

writeFileSync(join(DIST, 'openapi.json'), await servedDocument());
