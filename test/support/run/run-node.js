const { spawnSync } = require('node:child_process');
const { mkdirSync } = require('node:fs');
const { join } = require('node:path');

/**
 * `npm run test:node -- 24`: the unit tests and those on the embedded default, on the newest
 * release of that major version of Node, which comes from npm.
 */

const ROOT = join(__dirname, '../../..');
const [major = '', ...given] = process.argv.slice(2);

function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (status !== 0) process.exit(status ?? 1);
}

if (!/^\d+$/.test(major)) {
  process.stderr.write('Name a major version of Node, for instance: npm run test:node -- 24\n');
  process.exit(1);
}
const folder = join(ROOT, 'node_modules/.cache/lendline', `node-${major}`);
mkdirSync(folder, { recursive: true });
run('npm', ['install', '--silent', '--no-save', '--prefix', folder, `node@${major}`]);
const bin = join(folder, 'node_modules/node/bin');
const node = join(bin, 'node');
process.stdout.write(`Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout}`);
const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
run(node, ['build.mjs'], { env });
run(
  node,
  ['--require', './test/support/run/register.js', 'test/support/run/run.ts', 'embedded', ...given],
  { env },
);
