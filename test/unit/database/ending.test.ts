import type { Ending } from '../../../shared/command';
import { endingOf, endingText } from '../../../shared/database/ending';

const results = [
  null,
  {},
  [],
  {
    title: 'a "quoted" \\ line\nends \u2028 \ud800',
    none: null,
    list: [1, -0.5, 1e21],
    2: 'two',
    1: 'one',
    inner: { at: '2026-01-02T03:04:05.678Z' },
  },
];
const endings: Ending[] = [
  ...results.map((result): Ending => ({
    status: 'succeeded',
    created: true,
    result: result && JSON.stringify(result),
  })),
  { status: 'succeeded', created: false, result: '{"a":1}' },
  {
    status: 'failed',
    refusal: { code: 'OUT_OF_STOCK', detail: 'No "copy" is available.', ids: { bookInfoId: 42 } },
  },
];

describe('the ending of a command', () => {
  it.each(endings)('comes out of its table byte for byte: %j', (ending) => {
    expect(endingOf(endingText(ending))).toEqual(ending);
  });

  it('holds its result as JSON and not as a text in it', () => {
    expect(endingText({ status: 'succeeded', created: true, result: '{"borrowId":5}' })).toBe(
      '{"status":"succeeded","created":true,"result":{"borrowId":5}}',
    );
  });

  it.each(endings)('is read as well where the result is still a text in it: %j', (ending) => {
    expect(endingOf(JSON.stringify(ending))).toEqual(ending);
  });
});
