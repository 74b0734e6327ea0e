const { TestEnvironment } = require('jest-environment-node');
require('./compile-cache');

/** Node, and beside a test that failed what its programs printed meanwhile (`../logs.ts`). */
module.exports = class extends TestEnvironment {
  handleTestEvent({ name, test }) {
    const logs = this.global.programLogs;
    if (name === 'test_start') logs?.begin();
    if (name !== 'test_done' || test.errors.length === 0 || !logs) return;
    const text = logs.duringTest();
    const [first] = test.errors;
    const error = Array.isArray(first) ? first[0] : first;
    if (text && typeof error?.stack === 'string') error.stack += `\n${text}`;
  }
};
