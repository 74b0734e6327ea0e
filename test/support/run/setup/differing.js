const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Tests of the contract and of the pages whose result can depend on how the service runs, by the
 * reason. `npm test` runs them embedded and on servers. The other ones check rules: it runs them
 * embedded, and `npm run test:rest` runs them on servers.
 */
const DIFFERING = {
  'several APIs, each with a cache of its own': [
    'contract/common/cached-roles',
    'contract/common/caching',
    'contract/common/ended-tokens',
    'contract/courses/fresh-reads',
    'contract/lending/fresh-reads',
  ],
  'commands that meet at a worker': [
    'contract/courses/concurrency',
    'contract/courses/waitlist',
    'contract/lending/borrows',
    'contract/lending/concurrency',
    'contract/lending/holds',
  ],
  'commands, replies and events that pass through the broker': [
    'contract/client/events',
    'contract/common/commands',
    'contract/common/events',
    'contract/common/idempotency',
    'contract/common/kept-events',
    'contract/common/resumed-events',
    'contract/common/writes',
    'contract/console/commands',
    'contract/console/dead-letters',
    'contract/console/stream',
    'contract/console/workers',
    'contract/posts/feeds',
    'pages/console-workers',
    'pages/slow',
  ],
  'limits and accounts that all APIs share': [
    'contract/common/accounts',
    'contract/common/erasure',
    'contract/common/rate-limit',
    'contract/common/signups',
  ],
  'the SQL and the texts of another database': [
    'contract/common/texts',
    'contract/courses/search',
    'contract/lending/search',
    'contract/lending/search-order',
    'contract/posts/find',
    'contract/posts/search',
  ],
  'jobs of the leader': [
    'contract/common/notices',
    'contract/common/webhooks',
    'contract/lending/what-time-brings',
  ],
};

/**
 * Those that start the embedded default themselves, and one that only looks at the texts of pages,
 * which do not depend on what serves them.
 */
const EMBEDDED_ALONE = ['contract/client/command', 'contract/common/start', 'pages/texts'];

const TESTS = join(__dirname, '../../..');
const SAMPLES = /from '[./]+(\/support\/run\/amount|\/random-plan)'/;
const files = (names) => names.map((name) => `${name}.test.ts`);
const differing = files(Object.values(DIFFERING).flat());
const embeddedAlone = files(EMBEDDED_ALONE);
const missing = [...differing, ...embeddedAlone].filter((file) => !existsSync(join(TESTS, file)));
if (missing.length > 0)
  throw new Error(`differing.js names files that are not there: ${missing.join(', ')}`);

/**
 * Returns the test files of a folder that try few samples in `npm test`, and all of them in `npm
 * run test:rest`: those that take a number from `../amount.ts`, themselves or in a plan.
 */
function sampled(folder) {
  const within = readdirSync(join(TESTS, folder), { recursive: true, encoding: 'utf8' });
  return within
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => SAMPLES.test(readFileSync(join(TESTS, folder, name), 'utf8')))
    .map((name) => join(folder, name));
}

module.exports = { differing, embeddedAlone, sampled };
