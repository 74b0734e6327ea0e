const { existsSync, readFileSync, statfsSync } = require('node:fs');
const { totalmem } = require('node:os');

/**
 * Where the files of the tests' servers and programs go: in memory, a flush costs nothing. Tests
 * kill processes and never the machine, so what was written is still there after a kill.
 */
const MEMORY = '/dev/shm';
/** What must be free there, and what the machine must have, bytes. */
const FREE_MIN = 4 * 2 ** 30;
const MACHINE_MIN = 12 * 2 ** 30;

/** Programs that a test makes are run from there, too. */
const runsPrograms = () =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .some(([, folder, , options]) => folder === MEMORY && !options.split(',').includes('noexec'));

/** The folder in memory, or undefined where there is none with room. */
function memoryFolder() {
  if (!existsSync(MEMORY) || totalmem() < MACHINE_MIN || !runsPrograms()) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < FREE_MIN ? undefined : MEMORY;
}

module.exports = { memoryFolder };
