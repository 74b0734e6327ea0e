import { folded } from '../../../shared/fields';
import { bookFields } from '../../../shared/lending/payloads';

/** Characters of the column for a title, and for its folded form. */
const TITLE_COLUMN = 255;
const SEARCH_COLUMN = 512;

/** Characters that get longer when they are composed, folded, or both. */
const GROWING = ['\u0958', '\ufb2c', '\ufdfa', '\u0390', 'ß', 'ŉ', 'ﬃ', '㍿', '\u1e9e'];

describe('a title that gets longer', () => {
  it.each(GROWING)('is refused or fits into its columns, however often it has %j', (character) => {
    for (let times = 1; times <= TITLE_COLUMN; times += 1) {
      const { error, value } = bookFields.title.validate(character.repeat(times)) as {
        error?: Error;
        value: string;
      };
      if (error) continue;
      expect(value.length).toBeLessThanOrEqual(TITLE_COLUMN);
      expect(folded(value).length).toBeLessThanOrEqual(SEARCH_COLUMN);
      // The worker checks the payload by the same rule.
      expect(bookFields.title.validate(value, { convert: false }).error).toBeUndefined();
    }
  });

  it('is accepted where it still fits', () => {
    for (const text of [
      'ß'.repeat(255),
      '한'.repeat(255),
      '\ufdfa'.repeat(20),
      '\u0958'.repeat(127),
      'a'.repeat(255),
    ])
      expect(bookFields.title.validate(text).error).toBeUndefined();
  });

  it('is refused as too long', () => {
    expect(bookFields.title.validate('\ufdfa'.repeat(200)).error?.details[0]?.type).toBe(
      'text.long',
    );
    expect(bookFields.title.validate('\u0958'.repeat(255)).error?.details[0]?.type).toBe(
      'text.long',
    );
  });
});
