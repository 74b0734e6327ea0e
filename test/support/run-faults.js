const { spawnSync } = require('node:child_process');

/** `npm run test:faults`: all faults in their quick forms, with `--long` in their long ones. Other arguments are Jest's. */
const given = process.argv.slice(2);
const env = { ...process.env, ...(given.includes('--long') && { FAULTS_LONG: '1' }) };
// Last, for this option takes whatever follows it for the name of another project.
const args = [require.resolve('jest/bin/jest'), ...given.filter((arg) => arg !== '--long'), '--selectProjects', 'faults'];
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1;
