/**
 * Required before a program that is profiled: SIGUSR2 begins a profile of V8, and the next one
 * writes it to PROFILE_FOLDER, under the name of the program.
 */
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join, relative, sep } = require('node:path');

/** Microseconds between two samples. */
const INTERVAL_US = 200;

/** `api-main.cpuprofile` of dist/api/main.js. */
const file = () => {
  const program = relative(join(__dirname, '../../../dist'), process.argv[1]);
  const name = program.replaceAll(sep, '-').replace(/\.js$/, '');
  return join(process.env.PROFILE_FOLDER, `${name}.cpuprofile`);
};

const session = new Session();
session.connect();
let running = false;

process.on('SIGUSR2', () => {
  if (!running) {
    running = true;
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    session.post('Profiler.start');
    return;
  }
  running = false;
  session.post('Profiler.stop', (error, result) => {
    if (error) throw new Error(error.message);
    // Whoever sees the file sees the whole of it.
    writeFileSync(`${file()}.part`, JSON.stringify(result.profile));
    renameSync(`${file()}.part`, file());
  });
});
