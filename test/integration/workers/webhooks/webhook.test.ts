import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newWebhookSecret } from '../../../../shared/webhooks/secret';
import { openLibrary, succeeded } from '../../../support/clients/books';
import { Child, ROOT } from '../../../support/service/child';
import { newSecret, startEmbedded } from '../../../support/service/processes';
import { exportedSecret, targetAt } from '../../../support/service/target';
import { waitUntil } from '../../../support/wait';

const WAIT_MS = 30_000;
const FILE = join(ROOT, 'examples', 'webhook.mjs');
const read = (page: string): string => readFileSync(join(ROOT, 'docs', page), 'utf8');

describe('the example of a receiver', () => {
  it('takes what is signed with the secret of its webhook, and nothing else', async () => {
    const secret = newWebhookSecret();
    const child = new Child({
      ...{ name: 'webhook', command: process.execPath, args: [FILE] },
      env: { WEBHOOK_SECRET: secret, PORT: '0' },
    });
    const url = await child.line('listens', WAIT_MS, (line) => /http:\S+/.exec(line)?.[0]);
    const service = await startEmbedded({
      env: { JWT_SECRET: exportedSecret(newSecret), WEBHOOK_ALLOW_PRIVATE: 'true' },
    });
    const library = await openLibrary(targetAt('embedded', [service.url]));
    const register = async (own: string) =>
      succeeded(
        await library.manage('post', '/api/webhooks', {
          ...{ url, types: ['lending.borrow'], secret: own },
        }),
        201,
      );
    await register(secret);
    const { webhookId } = await register(newWebhookSecret());
    const { bookInfoId } = await library.registered({ copies: 1 });
    const reader = library.newReader();
    await library.borrowed(reader, { bookInfoId });
    await library.returned(reader, { bookInfoId });
    const printed = () =>
      [...child.output.matchAll(/^(lending\.borrow\.\w+) \{/gm)].map(([, type]) => type);
    await waitUntil('both events', WAIT_MS, () => printed().length === 2);
    const path = `/api/webhooks/${String(webhookId)}/deliveries`;
    await waitUntil('a refusal', WAIT_MS, async () =>
      JSON.stringify((await library.manage('get', path)).body).includes('it answered 401'),
    );
    expect(printed()).toEqual(['lending.borrow.created', 'lending.borrow.returned']);
  });

  it('is in docs/webhooks.md as it is', () => {
    expect(read('webhooks.md')).toContain(`\`\`\`js\n${readFileSync(FILE, 'utf8')}\`\`\`\n`);
  });
});
