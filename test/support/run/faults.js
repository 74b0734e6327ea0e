const { existsSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, sep } = require('node:path');

/**
 * The faults that test/faults injects, and what a run prints of them: a line each, of what the
 * tests recorded (held.ts) once everything that they expect had come true.
 */
const FAULTS = {
  1: 'a worker is killed in the middle of a batch',
  2: 'a worker is killed between COMMIT and acknowledgement',
  3: 'a worker is killed between COMMIT and reply',
  4: 'a worker freezes outside of a transaction, is replaced, and goes on',
  5: 'a worker freezes inside of a transaction, is replaced, and goes on',
  6: 'RabbitMQ is stopped in order, hangs, and is killed',
  7: 'a worker is cut off from RabbitMQ in both directions, and in either of them',
  8: 'confirms of the broker are lost',
  9: 'the broker closes the channel of a partition',
  10: 'MySQL is killed in the middle of transactions',
  11: 'the answer to a COMMIT is lost',
  12: 'MySQL is unavailable, or hangs, under load',
  13: 'each command is published three times',
  14: 'one idempotency key for different requests, and at several APIs at once',
  15: 'a command kills its worker, fills its memory, never ends, or throws',
  16: 'workers come and go under load, and are restarted one after the other',
  17: 'the number of partitions changes under load',
  18: 'the clocks of workers and APIs jump',
  19: 'Redis hangs, is killed, and is emptied',
  20: 'an API is killed while clients wait; the broker blocks its publishers',
  21: 'a RabbitMQ cluster of three loses its leader',
  22: 'reads while the cache is refilled; Redis is killed, emptied, frozen and restarted; a worker does not reach the cache',
  23: 'MySQL answers and yet cannot be used: a table is renamed, a right revoked, it takes no writes, its disk is full',
  24: 'the disk of the embedded default is full, and freed',
  25: 'large posts come faster than they can be carried out',
  26: 'APIs and workers are killed and frozen while the histories of titles are recorded',
  27: 'bodies that cost much to check, from clients that read nothing',
  28: 'crowds guess passwords and sign up, from many addresses and behind a proxy',
  29: 'programs of a later release come, with commands that this one does not know, and leave',
  30: 'a worker is killed that has delivered to a webhook, or has sent an e-mail, and has not marked it',
  31: 'the receiver of a webhook and the mail server are away',
  32: 'RabbitMQ is killed while events are on their way to a webhook and to e-mails',
  33: 'the primary of several MySQL servers changes: in order, and by kill -9; both take writes',
  34: 'Redis fails over, by Sentinel and in a cluster, to a replica that lacks the newest versions',
  35: 'the three nodes of a RabbitMQ cluster are restarted one after the other',
  36: 'two of three RabbitMQ nodes are away, so that no queue has a leader',
  37: 'the disk of a RabbitMQ node is full, which blocks the publishers of all',
  38: 'programs of the latest release and of the next run side by side, and roll back',
  39: 'the network is split between APIs, workers, brokers, MySQL and Redis, both ways or one way',
};

/** Those that take minutes: tried in the long form alone (`npm run test:faults -- --long`). */
const LONG_ONLY = new Set(['35', '36', '37']);

/** Names the file for the records of this run, for the processes that Jest starts. */
function openRecords() {
  process.env.FAULTS_RECORDS = join(
    tmpdir(),
    `lendline-faults-${process.pid}-${Date.now().toString(36)}.jsonl`,
  );
}

/** What was written down, which is then removed. */
function takeRecords() {
  const file = process.env.FAULTS_RECORDS;
  if (!existsSync(file)) return [];
  const records = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  rmSync(file);
  return records;
}

const joined = (records, key) => [...new Set(records.map((record) => record[key]))].join('; ');

/**
 * The lines of the table. `whole` says whether every fault was to be tried; `missing` counts those
 * that were to be and of which nothing was written down, so that no line can claim what did not
 * happen.
 */
function faultTable(records, whole) {
  const lines = [];
  let missing = 0;
  for (const [number, name] of Object.entries(FAULTS)) {
    const mine = records.filter(({ fault }) => fault === Number(number));
    if (mine.length > 0)
      lines.push(
        `fault ${number}: ${name} | tried: ${joined(mine, 'tried')} | on: ${joined(mine, 'servers')} | held: ${joined(mine, 'what')}`,
      );
    else if (whole && (process.env.FAULTS_LONG || !LONG_ONLY.has(number))) {
      lines.push(`fault ${number}: ${name} | NOT TRIED`);
      missing += 1;
    }
  }
  const unknown = records
    .filter(({ fault }) => !FAULTS[fault])
    .map(({ fault, tried }) => `fault ${fault}: NOT IN THE LIST | tried: ${tried}`);
  return { lines: [...lines, ...unknown], missing: missing + unknown.length };
}

/** Whether a run was one of all fault tests. */
function isWhole({ testPathPatterns, testNamePattern, shard }, results) {
  const faultTests = results.testResults.some(({ testFilePath }) =>
    testFilePath.includes(`${sep}test${sep}faults${sep}`),
  );
  return faultTests && testPathPatterns.patterns.length === 0 && !testNamePattern && !shard;
}

module.exports = { FAULTS, faultTable, isWhole, openRecords, takeRecords };
