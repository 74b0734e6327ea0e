import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, run } from '../service/child';
import { temporaryFolder } from '../run/cleanup';

/** How long npm may take, milliseconds. */
const NPM_MS = 120_000;

/** Returns an empty project in which the packed client is installed, as its users have it. */
export async function projectWithClient(files: readonly string[] = []): Promise<string> {
  const folder = await temporaryFolder('client');
  const npm = (name: string, args: readonly string[]) =>
    run({ name, command: 'npm', args, folder }, NPM_MS);
  const packed = await npm('npm pack', ['pack', '--silent', join(ROOT, 'clients/typescript')]);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const options = ['--silent', '--offline', '--no-audit', '--no-fund'];
  await npm('npm install', ['install', ...options, `./${packed.trim()}`]);
  for (const file of files) await cp(join(ROOT, file), join(folder, file), { recursive: true });
  return folder;
}
