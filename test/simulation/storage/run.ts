import '../stand-ins';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeds, story } from '../program';
import { StorageSimulation } from './simulation';

/**
 * The program that simulates an embedded process on a disk that fails, with the arguments of
 * `../run.ts`. It is another program, because the models of the tables belong to one database at a
 * time.
 */

// Power cuts are simulated, so the files may lie in memory, where a flush costs nothing.
const MEMORY = '/dev/shm';
const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'lendline-storage-'));
process.on('exit', () => {
  rmSync(folder, { recursive: true, force: true });
});
// Sequelize tells of each COMMIT that fails.
Object.assign(console, { warn: () => undefined });

function main([what, ...numbers]: readonly string[]): Promise<boolean> {
  const [first = 1, count = 1] = numbers.map(Number);
  const template = join(folder, 'template.sqlite');
  execFileSync(process.execPath, [
    '--require',
    join(__dirname, '../../support/run/register.js'),
    join(__dirname, 'template.ts'),
    template,
  ]);
  const make = (seed: number, tell?: (line: string) => void) =>
    new StorageSimulation({ seed, template, ...(tell && { tell }) });
  return what === 'story' ? story(make, first, Infinity) : seeds(make, first, count);
}

void main(process.argv.slice(2)).then((right) => {
  process.exitCode = right ? 0 : 1;
});
