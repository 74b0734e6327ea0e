const { existsSync, readFileSync } = require('node:fs');
const { LAST_RUN } = require('./reporter');

/**
 * `npm run test:times`: where the minutes of the last test run went, by project, by kind, by file
 * and by test.
 */

/** Files, and tests, in their tables. */
const SHOWN_MAX = 25;
const KINDS = ['servers', 'browser', 'programs', 'waiting'];

const seconds = (ms) => (ms / 1000).toFixed(1);
const sum = (files, of) => files.reduce((total, file) => total + of(file), 0);

function row(name, files) {
  const ms = sum(files, (file) => file.ms);
  const kinds = KINDS.map((kind) => sum(files, (file) => file.spentMs[kind] ?? 0));
  const rest = ms - kinds.reduce((total, one) => total + one, 0);
  return {
    '': name,
    files: files.length,
    tests: sum(files, (file) => file.tests.length),
    seconds: seconds(ms),
    ...Object.fromEntries(KINDS.map((kind, index) => [kind, seconds(kinds[index])])),
    rest: seconds(rest),
    processor: seconds(sum(files, (file) => file.processorMs)),
  };
}

function table(rows) {
  const columns = Object.keys(rows[0]);
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((one) => String(one[column]).length)),
  );
  const line = (cells) =>
    `| ${cells.map((cell, index) => (index === 0 ? String(cell).padEnd(widths[index]) : String(cell).padStart(widths[index]))).join(' | ')} |`;
  return [
    line(columns),
    `|${widths.map((width, index) => (index === 0 ? `${'-'.repeat(width + 2)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`,
    ...rows.map((one) => line(columns.map((column) => one[column]))),
  ].join('\n');
}

function groups(files, of) {
  const found = new Map();
  for (const file of files) found.set(of(file), [...(found.get(of(file)) ?? []), file]);
  return [...found]
    .map(([name, theirs]) => row(name, theirs))
    .sort((a, b) => b.seconds - a.seconds);
}

if (!existsSync(LAST_RUN)) {
  process.stderr.write('No test run was timed yet. Run npm test first.\n');
  process.exit(1);
}
const { startedAt, ms, files } = JSON.parse(readFileSync(LAST_RUN, 'utf8'));
const slowest = [...files].sort((a, b) => b.ms - a.ms).slice(0, SHOWN_MAX);
const tests = files.flatMap((file) =>
  file.tests.map(({ name, ms: took }) => ({
    '': `${file.project} ${file.file}: ${name}`.slice(0, 150),
    seconds: seconds(took),
  })),
);
const slowestTests = tests.sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN_MAX);
const folder = ({ project, file }) => `${project} ${file.split('/').slice(1, -1).join('/')}`;
process.stdout.write(
  [
    `The run of ${new Date(startedAt).toISOString()} took ${seconds(ms)} s. Times are in seconds, added over its files. "processor" is what tests and the programs that they started used of the processors, so that runs on a busy machine can be compared, too.`,
    table(groups(files, ({ project }) => project)),
    table(groups(files, folder)),
    table(slowest.map((file) => row(`${file.project} ${file.file}`, [file]))),
    table(slowestTests),
    '',
  ].join('\n\n'),
);
