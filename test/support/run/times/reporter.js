const { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join, relative } = require('node:path');

const ROOT = join(__dirname, '../../../..');
/** Times of the last run, for `npm run test:times`. */
const LAST_RUN = join(ROOT, 'node_modules/.cache/lendline/test-times.json');

/** Keeps how long each test file of a run took, and on what (see `kinds.ts`). */
class TimesReporter {
  constructor() {
    this.startedAt = Date.now();
    process.env.TEST_TIMES = join(
      tmpdir(),
      `lendline-times-${process.pid}-${this.startedAt.toString(36)}.jsonl`,
    );
  }

  onRunComplete(_contexts, results) {
    const records = process.env.TEST_TIMES;
    const lines = existsSync(records) ? readFileSync(records, 'utf8').trimEnd().split('\n') : [];
    rmSync(records, { force: true });
    const spent = lines.map((line) => JSON.parse(line));
    const files = results.testResults.map(
      ({ testFilePath, displayName, perfStats, testResults }) => {
        const project = displayName?.name ?? '';
        const index = spent.findIndex(
          ({ file, target }) =>
            file === testFilePath && (target === null || project.endsWith(target)),
        );
        const [found] = index < 0 ? [] : spent.splice(index, 1);
        const tests = testResults.map(({ fullName, duration }) => ({
          name: fullName,
          ms: duration ?? 0,
        }));
        return {
          project,
          file: relative(ROOT, testFilePath),
          ms: perfStats.end - perfStats.start,
          tests,
          spentMs: found?.spentMs ?? {},
          processorMs: found?.processorMs ?? 0,
        };
      },
    );
    mkdirSync(dirname(LAST_RUN), { recursive: true });
    writeFileSync(
      LAST_RUN,
      JSON.stringify({ startedAt: this.startedAt, ms: Date.now() - this.startedAt, files }),
    );
  }
}

module.exports = TimesReporter;
module.exports.LAST_RUN = LAST_RUN;
