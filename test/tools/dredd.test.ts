import { apiDocument, type ApiDocument } from '../support/check/document/api-document';
import type { OpenApi } from '../support/check/document/open-api';
import { DocumentedRequests } from '../support/clients/documented-requests';
import { DREDD_MS, runDredd, type Change, type Transaction } from '../support/clients/dredd';
import { FETCH_MS } from '../support/service/npm-program';
import { startService } from '../support/service/start-service';
import type { Target } from '../support/service/target';

/** Dredd sends what the document describes, and compares the answers with it. */

const letter = 'no command of the run becomes a dead letter';
const stream = 'the answer never ends';
const streams = 'it takes ten open streams';
const alone = 'the embedded default is one process, which is neither resized nor drained';
const row = 'the first request of a user makes the account';

/**
 * What cannot be tried: operation, status and media type. Everything else is, and so is what a new
 * operation answers.
 */
const UNTRIED: Readonly<Record<string, string>> = {
  'streamPostsByTags 200 text/event-stream': stream,
  'streamCommand 200 text/event-stream': stream,
  'streamEvents 200 text/event-stream': stream,
  'streamConsole 200 text/event-stream': stream,
  'getDeadLetter 200 application/json': letter,
  'replayDeadLetters 202 application/json': letter,
  'replayDeadLetters 409 application/problem+json': letter,
  'discardDeadLetter 204': letter,
  'discardDeadLetter 409 application/problem+json': letter,
  'resizePartitions 200 application/json': alone,
  'resizePartitions 204': alone,
  'drainWorker 200 application/json': alone,
  'drainWorker 204': alone,
  'signUp 429 application/problem+json': 'the limit would stop the other exchanges',
  'streamPostsByTags 429 application/problem+json': streams,
  'streamEvents 429 application/problem+json': streams,
  'streamConsole 429 application/problem+json': streams,
  'getProfile 404 application/problem+json': row,
  'updateProfile 404 application/problem+json': row,
  'exportMe 404 application/problem+json': row,
  'updateUser 409 application/problem+json': 'the tests have more than one administrator',
  'isReady 503 application/problem+json': 'the embedded default has no server that can be away',
};

let lendline: Target;
let document: ApiDocument;
let text: string;
let requests: DocumentedRequests;
beforeAll(async () => {
  ({ target: lendline } = await startService({ on: 'embedded' }));
  ({ text } = await lendline.api().get('/openapi.json').expect(200));
  document = apiDocument(text);
  requests = new DocumentedRequests(lendline, document);
  await requests.open();
});

/** Returns how many exchanges the document has: each form of a request with each of an answer. */
const exchanges = (): number =>
  document.operations().reduce((sum, { operation: { requestBody, responses } }) => {
    const forms = Object.keys(requestBody?.content ?? { none: {} }).length;
    const answers = Object.values(responses).flatMap(({ content = { none: {} } }) =>
      Object.keys(content),
    );
    return sum + forms * answers.length;
  }, 0);

it(
  'finds an answer that is not as its document says',
  async () => {
    const whole = JSON.parse(text) as OpenApi;
    const schema = { type: 'object', required: ['nothing'] };
    const answers = { 200: { description: 'Wrong.', content: { 'application/json': { schema } } } };
    const get = { ...whole.paths['/livez']!['get']!, responses: answers };
    const wrong = { ...whole, paths: { '/livez': { get } } };
    const asked = new DocumentedRequests(lendline, apiDocument(JSON.stringify(wrong)));
    const { code, outcomes } = await runDredd(wrong, lendline.url, (transaction) =>
      asked.prepared(transaction, asked.wanted(transaction)),
    );
    expect(outcomes).toEqual([
      expect.objectContaining({ status: 'fail', message: expect.stringContaining('nothing') }),
    ]);
    expect(code).toBe(1);
  },
  FETCH_MS + DREDD_MS,
);

it(
  'finds nothing in any answer of the document, and tries all but those of the table',
  async () => {
    const left = new Set<string>();
    const prepare = async (transaction: Transaction): Promise<Change> => {
      const wanted = requests.wanted(transaction);
      const key = `${wanted.id} ${wanted.status} ${wanted.type}`.trim();
      if (key in UNTRIED) {
        left.add(key);
        return { skip: true };
      }
      return requests.prepared(transaction, wanted);
    };
    const { code, outcomes, output } = await runDredd(
      JSON.parse(text) as object,
      lendline.url,
      prepare,
    );
    expect(outcomes.filter(({ status }) => status === 'fail')).toEqual([]);
    expect([...left].sort()).toEqual(Object.keys(UNTRIED).sort());
    expect(outcomes).toHaveLength(exchanges());
    expect({ code, output }).toMatchObject({ code: 0 });
  },
  FETCH_MS + DREDD_MS,
);
