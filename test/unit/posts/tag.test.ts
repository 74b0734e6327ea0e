import fc from 'fast-check';
import { postsPayloads } from '../../../shared/posts/commands';
import {
  distinctTags,
  foldedTag,
  FOLDED_LENGTH_MAX,
  tag,
  tagFault,
  tidyTag,
} from '../../../shared/posts/tag';

const same = (a: string, b: string): boolean => foldedTag(tidyTag(a)) === foldedTag(tidyTag(b));

describe('two spellings', () => {
  it.each([
    ['Java', 'JAVA'],
    ['Café', 'CAFE\u0301'],
    ['Straße', 'STRASSE'],
    ['Straße', 'STRAẞE'],
    ['ὈΔΥΣΣΕΎΣ', 'ὀδυσσεύς'],
    ['ﬁne', 'FINE'],
    ['  spring   boot ', 'Spring\u00a0Boot'],
    ['자바', '자바'],
    ['İ', 'i\u0307'],
  ])('are one tag: %s and %s', (a, b) => {
    expect(same(a, b)).toBe(true);
  });

  it.each([
    ['resume', 'résumé'],
    ['c', 'c++'],
    ['i', 'ı'],
    ['I', 'İ'],
    ['a', 'ａ'],
    ['springboot', 'spring boot'],
    ['x2', 'x²'],
  ])('are two tags: %s and %s', (a, b) => {
    expect(same(a, b)).toBe(false);
  });
});

describe('a tag', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });

  it('that is tidy stays as it is, and so does one that is folded', () => {
    fc.assert(
      fc.property(text, (value) => {
        const tidy = tidyTag(value);
        expect(tidyTag(tidy)).toBe(tidy);
        expect(foldedTag(foldedTag(tidy))).toBe(foldedTag(tidy));
      }),
    );
  });

  it('fits the column of its folded form, if it is a tag at all', () => {
    const longest = fc.string({ unit: 'binary', minLength: 40, maxLength: 50 });
    fc.assert(
      fc.property(
        longest,
        (value) =>
          tagFault(tidyTag(value)) !== null ||
          Array.from(foldedTag(tidyTag(value))).length <= FOLDED_LENGTH_MAX,
      ),
    );
    expect(Array.from(foldedTag('ΐ'.repeat(50))).length).toBeLessThanOrEqual(FOLDED_LENGTH_MAX);
  });

  it('is folded once in a list, in its first spelling', () => {
    expect(distinctTags(['b', 'A', 'B', 'a', 'c'])).toEqual(['b', 'A', 'c']);
  });

  it('must be tidy in a payload, where nothing is put right', () => {
    expect(tag.validate(' a  b ').value).toBe('a b');
    const payload = { title: 'Title', content: 'Content', userId: 1 };
    expect(
      postsPayloads['posts.create-post'].validate({ ...payload, tags: [] }, { convert: false })
        .error,
    ).toBeUndefined();
    expect(
      postsPayloads['posts.create-post'].validate({ ...payload, tags: ['a b'] }, { convert: false })
        .error,
    ).toBeUndefined();
    for (const tags of [[' a'], ['a  b'], ['cafe\u0301'], ['a,b'], ['']]) {
      expect(
        postsPayloads['posts.create-post'].validate({ ...payload, tags }, { convert: false }).error,
      ).toBeDefined();
    }
  });
});
