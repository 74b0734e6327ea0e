/**
 * Lets Node run TypeScript as Jest does, for a program of the tests that runs outside of Jest:
 * `node --require`.
 */
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');
const { projects } = require('../../../jest.config.js');

const [[, options]] = Object.values(projects[0].transform);

require.extensions['.ts'] = (module, filename) => {
  module._compile(
    transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code,
    filename,
  );
};
