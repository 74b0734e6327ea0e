/**
 * Loaded into a program under test with NODE_OPTIONS=--require: a command for one of the titles in
 * the file at TEST_POISON, JSON of id to kind, ends the process when it is decided (`die`), never
 * ends (`loop`), takes all memory (`memory`) or throws (`throw`). The file is read anew for each
 * command, and a file that is gone is a fault that was mended. The watchdog barks after a second
 * instead of a minute.
 */
const { readFileSync } = require('node:fs');
const wrapExports = require('./wrap-exports');

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
  startWatchdog: (start) => () => start({ turnMs: 50, turnsMax: 20 }),
};

wrapExports(wrappers);
