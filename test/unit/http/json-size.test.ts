import { checkJsonSize } from '../../../api/http/requests/json-size';

const check = (text: string) => {
  checkJsonSize(Buffer.from(text));
};
const of = (length: number, text: (index: number) => string): string =>
  Array.from({ length }, (_, index) => text(index)).join(',');

describe('the size of JSON', () => {
  it.each<[string, string]>([
    ['text that looks like more', `{"a":"${'[{,:'.repeat(250_000)}"}`],
    [
      'quotes and backslashes in text',
      `{"a":"\\"${'['.repeat(100)}","b":"${'['.repeat(100)}\\\\","c":"${'\\\\\\"['.repeat(1000)}"}`,
    ],
    ['32 levels', `${'['.repeat(32)}${']'.repeat(32)}`],
    ['5000 fields', `{${of(5000, (index) => `"${index}":1`)}}`],
    ['200,000 values', `[${of(200_000, () => '1')}]`],
    ['what is no JSON', ']]]"'],
  ])('takes %s', (_what, text) => {
    expect(() => {
      check(text);
    }).not.toThrow();
  });

  it.each<[string, string, string]>([
    ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`, 'nested deeper than 32 levels'],
    ['33 levels behind a text', `{"a\\\\":${'['.repeat(32)}`, 'nested deeper than 32 levels'],
    ['5001 fields', `{${of(5001, (index) => `"${index}":1`)}}`, 'more than 5000 fields'],
    ['200,001 values', `[${of(200_001, () => '1')}]`, 'more than 200000 values'],
  ])('refuses %s', (_what, text, reason) => {
    expect(() => {
      check(text);
    }).toThrow(reason);
  });
});
