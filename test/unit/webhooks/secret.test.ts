import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import {
  newWebhookSecret,
  SECRET_FORM,
  sealed,
  sealingKey,
  signaturesOf,
  unsealed,
} from '../../../shared/webhooks/secret';
import { pauseMs, SCHEDULE } from '../../../workers/webhooks/schedule';

const key = sealingKey(randomBytes(32));
const body = JSON.stringify({ type: 'lending.borrow.created', data: { title: 'Dune ✓' } });

function signed(secrets: readonly string[]) {
  const timestamp = Math.floor(Date.now() / 1000);
  return {
    'webhook-id': 'event.1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signaturesOf({ id: 'event.1', timestamp, body }, secrets),
  };
}

it('a signature is what Standard Webhooks verifies, by each of two secrets and by no other', () => {
  const [one, two, three] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
  const headers = signed([one, two]);
  for (const secret of [one, two])
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(three).verify(body, headers)).toThrow('No matching signature');
  expect(() => new Webhook(one).verify(body.replace('Dune', 'Emma'), headers)).toThrow();
});

it('a sealed secret shows nothing, and opens with its key alone', () => {
  const secret = newWebhookSecret();
  const text = sealed(secret, key);
  expect(text).toMatch(/^[\w-]{40,255}$/);
  expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain(secret.slice(6));
  expect(unsealed(text, key)).toBe(secret);
  expect(() => unsealed(text, sealingKey(randomBytes(32)))).toThrow();
});

it('a secret has 24 to 64 bytes', () => {
  const form = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`;
  for (const bytes of [24, 25, 26, 27, 32, 64]) expect(form(bytes)).toMatch(SECRET_FORM);
  for (const bytes of [1, 20, 23, 66, 80]) expect(form(bytes)).not.toMatch(SECRET_FORM);
  expect(newWebhookSecret()).toMatch(SECRET_FORM);
});

it('pauses grow from 5 seconds to 8 hours', () => {
  const pauses = Array.from({ length: 12 }, (_, index) => pauseMs(index + 1, SCHEDULE) / 1000);
  expect(pauses.slice(0, 4)).toEqual([5, 20, 80, 320]);
  expect(pauses.at(-1)).toBe(8 * 3600);
});
