/**
 * Loaded into a program under test with NODE_OPTIONS=--require. What is kept for a day or a week is
 * kept for minutes, so that an hour shows whether it is removed as fast as it comes.
 */
const Module = require('node:module');
const { sep } = require('node:path');

/** Constants by file, milliseconds. A version must outlive the views of five minutes. */
const SHORT = {
  'shared/command.js': { OUTCOME_KEPT_MS: 180_000 },
  'shared/cache/cache.js': { VERSION_KEPT_MS: 360_000 },
  'workers/jobs/housekeeping.js': {
    INTERVAL_MS: 10_000,
    MARGIN_MS: 60_000,
    EVENTS_KEPT_MS: 240_000,
    SUSPECTS_KEPT_MS: 240_000,
  },
};

const compile = Module.prototype._compile;
Module.prototype._compile = function compileShort(content, filename, ...more) {
  const short =
    Object.entries(SHORT).find(([file]) =>
      filename.endsWith(`${sep}dist${sep}${file.replaceAll('/', sep)}`),
    )?.[1] ?? {};
  let text = content;
  for (const [name, ms] of Object.entries(short)) {
    const made = text.replace(new RegExp(`\\b${name} = \\d[\\d_* ]*;`), `${name} = ${ms};`);
    if (made === text) throw new Error(`${filename} has no constant ${name}`);
    text = made;
  }
  return compile.call(this, text, filename, ...more);
};
