/**
 * Makes commands poisonous in a program under test, which loads this with NODE_OPTIONS=--require.
 * TEST_POISON names a file, JSON of title id to kind. When a command for such a title is decided,
 * it ends the process (`die`), never ends (`loop`), takes all memory (`memory`) or throws
 * (`throw`). The file is read for each command, and deleting it mends the fault. With
 * TEST_QUICK_WATCHDOG the watchdog waits a second instead of a minute, which only a test of it may
 * ask for: on a busy machine a program can stand still for a second by itself.
 */
const { readFileSync } = require('node:fs');
const wrapExports = require('../service/wrap-exports');

function kindOf(bookInfoId) {
  try {
    return JSON.parse(readFileSync(process.env.TEST_POISON, 'utf8'))[bookInfoId];
  } catch {
    return undefined;
  }
}

const faults = {
  die: () => process.kill(process.pid, 'SIGKILL'),
  loop: () => {
    for (;;);
  },
  memory: () => {
    for (const all = []; ;) all.push(new Array(1e6).fill({}));
  },
  throw: () => {
    throw new TypeError('stock is undefined');
  },
};

const wrappers = {
  decideLending:
    (decide) =>
    (state, command, ...rest) => {
      faults[kindOf(command.payload.bookInfoId)]?.();
      return decide(state, command, ...rest);
    },
  startWatchdog: (start) => () =>
    start(process.env.TEST_QUICK_WATCHDOG ? { turnMs: 50, turnsMax: 20 } : {}),
};

wrapExports(wrappers);
