// Receives webhooks, verifies their signatures, and prints each event once.
import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET = '', PORT = '8080' } = process.env;
const KEY = Buffer.from(WEBHOOK_SECRET.replace('whsec_', ''), 'base64');
/** Older deliveries may be replays of somebody else, seconds. */
const AGE_MAX_S = 300;

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= AGE_MAX_S)) return false;
  const signature = createHmac('sha256', KEY).update(`${id}.${at}.${body}`).digest('base64');
  const expected = Buffer.from(`v1,${signature}`);
  // While a secret is rotated there are two signatures.
  return given.split(' ').some((text) => {
    const one = Buffer.from(text);
    return one.length === expected.length && timingSafeEqual(one, expected);
  });
}

/** Ids of events that were handled. Keep them where a restart does not forget them. */
const seen = new Set();

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString('utf8');
  if (!isGenuine(request.headers, body)) {
    response.writeHead(401).end();
    return;
  }
  const event = JSON.parse(body);
  if (!seen.has(event.id)) console.log(event.type, JSON.stringify(event.data));
  seen.add(event.id);
  response.writeHead(204).end();
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening at http://127.0.0.1:${server.address().port}`);
});
