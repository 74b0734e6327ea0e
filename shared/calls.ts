import path from 'node:path';

/**
 * How a person runs a program or an operator's command of this installation: with npm's scripts in
 * a checkout, with the package's own command where the package is installed.
 */

const isInstalled = __dirname.split(path.sep).includes('node_modules');

/** The commands that messages name, without arguments. */
export const calls = isInstalled
  ? { migrate: 'npx lendline migrate', worker: 'npx lendline worker', ops: 'npx lendline' }
  : { migrate: 'npm run migrate', worker: 'npm run start:worker', ops: 'npm run -s ops --' };
