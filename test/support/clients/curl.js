const { request } = require('node:http');
const { setTimeout } = require('node:timers');

/**
 * Does what the commands in the docs ask of curl: a machine that runs the tests need not have curl.
 * It knows -s, -i, -N, -X, -H, -d, -o, -w and --max-time, and refuses every other option.
 */
const ALONE = new Set(['-s', '-i', '-N', '-sN']);
const WITH_VALUE = new Set(['-X', '-H', '-d', '-o', '-w', '--max-time']);

function parse(args) {
  const options = { headers: {}, flags: new Set() };
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index];
    if (ALONE.has(arg)) options.flags.add(arg);
    else if (!WITH_VALUE.has(arg) && arg.startsWith('-'))
      throw new Error(`no page of the docs may ask curl for ${arg}`);
    else if (!WITH_VALUE.has(arg)) options.url = arg;
    else {
      const value = args[(index += 1)];
      if (arg === '-H')
        options.headers[value.slice(0, value.indexOf(': '))] = value.slice(value.indexOf(': ') + 2);
      else options[arg] = value;
    }
  }
  return options;
}

const options = parse(process.argv.slice(2));
const write = (text) => process.stdout.write(text);
const {
  '-d': body,
  '-X': method = body === undefined ? 'GET' : 'POST',
  '--max-time': maxTime,
} = options;

function show(response) {
  const { statusCode, statusMessage, rawHeaders } = response;
  if (options.flags.has('-i')) {
    write(`HTTP/1.1 ${statusCode} ${statusMessage}\n`);
    for (let index = 0; index < rawHeaders.length; index += 2)
      write(`${rawHeaders[index]}: ${rawHeaders[index + 1]}\n`);
    write('\n');
  }
  if (options['-o']) response.resume();
  else response.setEncoding('utf8').on('data', write);
  response.on('end', () => {
    if (options['-w'])
      write(options['-w'].replaceAll('%{http_code}', String(statusCode)).replaceAll('\\n', '\n'));
  });
}

const call = request(options.url, { method, headers: options.headers }, show).end(body);
// A stream that never ends is cut off; what came until then counts.
if (maxTime) setTimeout(() => process.exit(), 1000 * Number(maxTime));
call.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
