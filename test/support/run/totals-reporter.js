const { faultTable, isWhole, openRecords, takeRecords } = require('./faults');

/**
 * Ends a run with a line for each fault that was tried, and one line that people and scripts can
 * look for: `Tests: 12 passed, 0 failed`.
 */
module.exports = class TotalsReporter {
  constructor(globalConfig) {
    this.globalConfig = globalConfig;
    this.missing = 0;
    openRecords();
  }

  onRunComplete(_contexts, results) {
    const { lines, missing } = faultTable(takeRecords(), isWhole(this.globalConfig, results));
    this.missing = missing;
    // A file that could not even be loaded has no failed test, and is no success.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + missing;
    const skipped = results.numPendingTests + results.numTodoTests;
    const total = `Tests: ${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // Jest writes its own summary after all reporters, so the last word is only to be had at the
    // very end.
    process.once('exit', () => process.stdout.write(`${[...lines, total].join('\n')}\n`));
  }

  /** Makes the run fail. */
  getLastError() {
    return this.missing > 0 ? new Error(`${this.missing} of the faults were not tried`) : undefined;
  }
};
