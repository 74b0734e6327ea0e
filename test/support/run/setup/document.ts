import { tapExchanges, type Exchange } from '../../check/document/exchange';
import { faultsOf } from '../../check/document/faults';
import { documentOf } from '../../check/document/served';
import { isWatched } from '../../check/document/watched';

/**
 * Whatever a test has asked of a service, and was answered, must be in the OpenAPI document of that
 * service.
 */

let exchanges: Exchange[] = [];

const stop = tapExchanges((exchange) => {
  if (!isWatched(exchange.origin)) return;
  exchanges.push(exchange);
  // Asked for at once: the test may end the service.
  documentOf(exchange.origin).catch(() => undefined);
});

afterAll(() => {
  stop();
});

afterEach(async () => {
  const made = exchanges;
  exchanges = [];
  const found = await Promise.all(
    made.map(async (exchange) =>
      faultsOf(await documentOf(exchange.origin), exchange).map(
        (fault) => `${exchange.method} ${exchange.url.slice(0, 200)} ${exchange.status}: ${fault}`,
      ),
    ),
  );
  expect([...new Set(found.flat())]).toEqual([]);
});
