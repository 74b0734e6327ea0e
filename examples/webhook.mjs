// Sends every change of a borrow to a webhook, in order, and retries until it is accepted.
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'amqplib';

const { RABBITMQ_URL = 'amqp://guest:guest@127.0.0.1:5672', WEBHOOK_URL } = process.env;
const { QUEUE = 'webhook.borrows' } = process.env;
const RETRY_PAUSE_MS = 1000;

const channel = await (await connect(RABBITMQ_URL)).createChannel();
await channel.assertExchange('domain-events', 'topic', { durable: true });
// Durable: it keeps the events that come while this program is down.
await channel.assertQueue(QUEUE, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
await channel.bindQueue(QUEUE, 'domain-events', 'lending.borrow.*');
// One at a time, or the next event could overtake one that must be sent again.
await channel.prefetch(1);
await channel.consume(QUEUE, async (message) => {
  const headers = { 'content-type': 'application/cloudevents+json' };
  const call = { method: 'POST', headers, body: message.content };
  const accepted = () =>
    fetch(WEBHOOK_URL, call).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await accepted())) await pause(RETRY_PAUSE_MS);
  channel.ack(message);
});
// A lost connection ends the program with an error. Its supervisor starts it again.
console.log(`sending borrows to ${WEBHOOK_URL}`);
