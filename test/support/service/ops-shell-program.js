require('reflect-metadata');
const { createServer } = require('node:http');
const { join } = require('node:path');

/**
 * A process that carries out one operator's command after the other, for `ops-shell.ts`: starting
 * the program for each takes a second.
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

/** `run` never rejects. */
async function answer({ env, args }) {
  process.env = { ...inherited, ...env };
  const taken = capture();
  const code = await run(args, commands, services);
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
