/** Ends a run with one line that people and scripts can look for: `Tests: 12 passed, 0 failed`. */
module.exports = class TotalsReporter {
  onRunComplete(_contexts, results) {
    // A file that could not even be loaded has no failed test, and is no success.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `Tests: ${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // Jest writes its own summary after all reporters, so the last word is only to be had at the very end.
    process.once('exit', () => process.stdout.write(`${line}\n`));
  }
};
