import { readApiConfig } from '../../api/config';
import { readEmbeddedConfig } from '../../embedded';
import { StartError } from '../../shared/config';
import { readWorkerConfig } from '../../workers/config';

/** Values of settings that no program starts with. That a program then ends is in `start`. */

const EMBEDDED = {
  JWT_SECRET: 'x'.repeat(32),
  ADMIN_USERNAME: 'admin',
  ADMIN_PASSWORD: 'long enough',
};
const READERS = {
  'the embedded default': readEmbeddedConfig,
  'an API': readApiConfig,
  'a worker': readWorkerConfig,
};

/** The sentence that is printed instead of a start. */
function refusal(read: (environment: NodeJS.ProcessEnv) => unknown, env: NodeJS.ProcessEnv) {
  try {
    read(env);
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  return null;
}

it.each(Object.entries(READERS))('%s takes what is right', (_name, read) => {
  expect(refusal(read, EMBEDDED)).toBeNull();
});

it.each([
  ['API_PORT', '65536'],
  ['API_PORT', 'http'],
  ['API_WAIT_MS', '30001'],
  ['API_HOST', 'not a host'],
  ['JWT_SECRET', 'too short'],
  ['JWT_JWKS_URL', 'file:///etc/keys'],
  ['ACCESS_TOKEN_SECONDS', '59'],
  ['ADMIN_PASSWORD', 'short'],
  ['ADMIN_PASSWORD', 'Password123'],
  ['ISBN_STRICT', 'maybe'],
  ['REQUIRE_AUTH_FOR_POSTS', 'maybe'],
  ['LOAN_DAYS', '0'],
  ['MAX_OPEN_BORROWS', '-1'],
  ['COMMAND_PARTITIONS', '1.5'],
  ['LOG_LEVEL', 'loud'],
  ['TRUSTED_PROXIES', '-1'],
  ['RATE_LIMIT_WRITES_PER_MINUTE', 'few'],
  ['METRICS_HOST', 'not a host'],
  ['METRICS_PORT', '65536'],
])('the embedded default refuses a bad value of %s: %s', (name, value) => {
  expect(refusal(readEmbeddedConfig, { ...EMBEDDED, [name]: value })).toMatch(
    new RegExp(`\\b${name}\\b`),
  );
});

describe.each([
  ['an API', readApiConfig],
  ['a worker', readWorkerConfig],
])('%s refuses a bad value', (_name, read) => {
  it.each([
    ['MYSQL_URL', 'postgres://127.0.0.1/lendline'],
    ['RABBITMQ_URL', 'http://127.0.0.1'],
    ['RABBITMQ_URL', 'amqp://127.0.0.1,http://127.0.0.1'],
    ['REDIS_URL', '127.0.0.1:6379'],
    ['COMMAND_PARTITIONS', '257'],
    ['LOG_LEVEL', 'loud'],
  ])('of %s: %s', (name, value) => {
    expect(refusal(read, { [name]: value })).toMatch(new RegExp(`\\b${name}\\b`));
  });
});

it('a worker refuses a rule that is out of range', () => {
  expect(refusal(readWorkerConfig, { LOAN_DAYS: '366' })).toMatch(/\bLOAN_DAYS\b/);
});
