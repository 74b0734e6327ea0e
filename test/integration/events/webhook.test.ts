import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openLibrary } from '../../support/books';
import { Child, ROOT } from '../../support/child';
import { onCleanUp } from '../../support/cleanup';
import { EVENT_DATA, expectEvent, type EventBody } from '../../support/event-tour';
import { newSecret, startServers } from '../../support/processes';
import { exportedSecret, targetAt } from '../../support/target';
import { waitUntil } from '../../support/wait';

const WAIT_MS = 30_000;
const FILE = join(ROOT, 'examples', 'webhook.mjs');
const page = readFileSync(join(ROOT, 'docs/events.md'), 'utf8');

interface Webhook {
  readonly url: string;
  /** What it has accepted, in order. */
  readonly accepted: EventBody[];
  /** How many calls it refuses next. */
  refuse: number;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}

async function startWebhook(): Promise<Webhook> {
  const accepted: EventBody[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const refused = webhook.refuse > 0;
      if (refused) webhook.refuse -= 1;
      else accepted.push(expectEvent(text));
      response.writeHead(refused ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanUp(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const webhook: Webhook = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    refuse: 0,
  };
  return webhook;
}

describe('the example of a consumer', () => {
  it('sends each change of a borrow to a webhook, also what happened while it was away and what was refused at first', async () => {
    const system = await startServers({
      apis: 1,
      workers: 1,
      env: { JWT_SECRET: exportedSecret(newSecret) },
    });
    const library = await openLibrary(
      targetAt(
        'servers',
        system.apis.map(({ url }) => url),
      ),
    );
    const webhook = await startWebhook();
    const env = { RABBITMQ_URL: system.env.RABBITMQ_URL ?? '', WEBHOOK_URL: webhook.url };
    const start = async () => {
      const child = new Child({ name: 'webhook', command: process.execPath, args: [FILE], env });
      await child.line('starts', WAIT_MS, (line) => line.startsWith('sending') || undefined);
      return child;
    };
    const first = await start();
    const { bookInfoId } = await library.registered({ copies: 1 });
    const reader = library.newReader();
    const { borrowId } = await library.borrowed(reader, { bookInfoId });
    await waitUntil('the borrow', WAIT_MS, () => webhook.accepted.length > 0);
    await first.kill();
    await library.renew(reader, borrowId);
    await library.returned(reader, { borrowId });
    webhook.refuse = 1;
    await start();
    await waitUntil('the rest', WAIT_MS, () =>
      webhook.accepted.some(({ type }) => type === 'lending.borrow.returned'),
    );
    // The first may have come twice: it was killed as soon as that was accepted.
    const distinct = [...new Map(webhook.accepted.map((event) => [event.eventId, event])).values()];
    expect(distinct.map(({ type, data }) => [type, data.borrowId])).toEqual(
      ['created', 'renewed', 'returned'].map((what) => [`lending.borrow.${what}`, borrowId]),
    );
  });

  it('is in docs/events.md as it is', () => {
    expect(page).toContain(`\`\`\`js\n${readFileSync(FILE, 'utf8')}\`\`\`\n`);
  });
});

it('docs/events.md lists every event type', () => {
  const section = page.slice(page.indexOf('## Types'), page.indexOf('## A webhook'));
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((line) =>
    [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, type]) => type),
  );
  expect(listed.sort()).toEqual(Object.keys(EVENT_DATA).sort());
});
