/**
 * Loaded into a program under test with NODE_OPTIONS=--require. At SIGUSR2 the program collects its
 * garbage and writes what is left to the file PID.json in the folder TEST_HEAPS.
 */
const { renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    const file = join(process.env.TEST_HEAPS, `${process.pid}.json`);
    writeFileSync(
      `${file}.next`,
      JSON.stringify({
        ...process.memoryUsage(),
        resources: process.getActiveResourcesInfo().length,
      }),
    );
    renameSync(`${file}.next`, file);
  });
}
