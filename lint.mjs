import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';

/**
 * Runs the checks of types, code, texts and imports, two at a time. What a check prints is shown
 * once it has ended. Types and code are checked against the client's types, which the build makes.
 */

/** Settles with whether the script of package.json succeeded; never rejects. */
function succeeds(script) {
  const child = spawn('npm', ['run', '-s', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => printed.push(part));
  child.once('error', (error) => printed.push(Buffer.from(`${error.message}\n`)));
  return new Promise((resolve) => {
    child.once('close', (status) => {
      process.stdout.write(Buffer.concat(printed));
      resolve(status === 0);
    });
  });
}

const both = async (one, other) => (await Promise.all([one, other])).every(Boolean);
const textsAndImports = async () => both(await succeeds('lint:texts'), succeeds('lint:imports'));
const codeAndTypes = async () => both(await succeeds('types'), succeeds('lint:code'));

const sound = await both(codeAndTypes(), textsAndImports());
process.exitCode = sound ? 0 : 1;
