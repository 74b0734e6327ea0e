require('reflect-metadata');
const { createServer } = require('node:http');
const { join } = require('node:path');
const { register } = require('prom-client');

/**
 * A process that carries out one operator's command after the other, and one start that fails after
 * the other, for `ops-shell.ts`: a process for each takes a second or two.
 */

const DIST = join(__dirname, '../../../dist');
const { run } = require(join(DIST, 'workers/ops/run'));
const { commands } = require(join(DIST, 'workers/ops/commands'));
const { services } = require(join(DIST, 'shared/services'));

const inherited = process.env;

/** Keeps what is printed until it is taken. */
function capture() {
  let output = '';
  const restore = [process.stdout, process.stderr].map((stream) => {
    const { write } = stream;
    stream.write = (text, encoding, done) => {
      output += text;
      const written = typeof encoding === 'function' ? encoding : done;
      written?.();
      return true;
    };
    return () => Object.assign(stream, { write });
  });
  return () => {
    for (const undo of restore) undo();
    return output;
  };
}

/** Starts a program as `node` does, but with the modules that are loaded; returns its exit code. */
function start(file) {
  const path = join(DIST, file);
  Reflect.deleteProperty(require.cache, path);
  register.clear();
  for (const signal of ['SIGTERM', 'SIGINT']) process.removeAllListeners(signal);
  return new Promise((ended) => {
    process.exit = ended;
    require(path);
  });
}

/** `run` never rejects. */
async function answer({ env, args, file }) {
  process.env = { ...inherited, ...env };
  const taken = capture();
  const code = await (file ? start(file) : run(args, commands, services));
  process.env = inherited;
  return { code, output: taken() };
}

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    void answer(JSON.parse(text)).then((result) => response.end(JSON.stringify(result)));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listens at ${server.address().port}\n`);
});
