const Environment = require('./environment');
const { apiDocument } = require('../../check/document/api-document');

/** Shares the compiled OpenAPI documents among the test files of a Jest worker. */
module.exports = class extends Environment {
  async setup() {
    await super.setup();
    this.global.apiDocumentOf = apiDocument;
  }
};
