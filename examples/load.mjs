// Many readers borrow and return one title for some seconds. Prints calls per second and latency.
import { Lendline } from '@lendline/client';

const { API_URL = 'http://127.0.0.1:3000', BOOK, READERS = '32', SECONDS = '10' } = process.env;
const nobody = new Lendline({ baseUrl: API_URL });
const latencies = [];
const refusals = {};

async function timed(call) {
  const startedAt = performance.now();
  const result = await call;
  latencies.push(performance.now() - startedAt);
  if (!result.ok) refusals[result.problem.code] = (refusals[result.problem.code] ?? 0) + 1;
}

const username = () => `load-${crypto.randomUUID()}`;
const signedUp = await Promise.all(
  Array.from({ length: Number(READERS) }, () =>
    nobody.accounts.signUp({ username: username(), password: crypto.randomUUID() }),
  ),
);
const endsAt = performance.now() + Number(SECONDS) * 1000;
await Promise.all(
  signedUp.map(async ({ value }) => {
    const reader = nobody.withToken(value.accessToken);
    while (performance.now() < endsAt) {
      await timed(reader.borrows.create({ bookInfoId: Number(BOOK) }));
      await timed(reader.returns.create({ bookInfoId: Number(BOOK) }));
    }
  }),
);
const perSecond = Math.round(latencies.length / Number(SECONDS));
const median = latencies.sort((a, b) => a - b)[latencies.length >> 1].toFixed(1);
console.log(`${perSecond} calls/s, median ${median} ms, refused: ${JSON.stringify(refusals)}`);
