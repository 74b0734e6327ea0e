import fc from 'fast-check';
import {
  bare,
  endingsOf,
  endOfRange,
  ENDING_LENGTH,
  partsOf,
  WORD_LENGTH,
  wordsOf,
} from '../../../shared/search/words';

/**
 * Texts of few different characters, so that parts of them come twice; some lie outside of the
 * first plane.
 */
const text = fc
  .array(fc.constantFrom('a', 'b', 'é', '日', '한', '😀', ' '), { maxLength: 80 })
  .map((characters) => characters.join(''));

const pointsOf = (given: string): number[] =>
  Array.from(given, (character) => character.codePointAt(0) ?? 0);

/** As a database compares texts: code point by code point. */
function isBefore(a: string, b: string): boolean {
  const [first, second] = [pointsOf(a), pointsOf(b)];
  const at = first.findIndex((point, index) => point !== second[index]);
  return at < 0 ? first.length < second.length : (first[at] ?? 0) < (second[at] ?? -1);
}

it('whatever stands in a text is found by an ending of one of its words', () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(), (whole, from, length) => {
      const characters = Array.from(whole);
      const start = from % (characters.length + 1);
      const wanted = characters.slice(start, start + 1 + (length % 40)).join('');
      const endings = wordsOf('title', whole).flatMap((word) => endingsOf('title', word));
      for (const part of partsOf('title', wanted))
        expect(endings.some((ending) => ending.startsWith(part))).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

it('words and endings are no longer than their columns', () => {
  fc.assert(
    fc.property(text, (whole) => {
      for (const word of wordsOf('title', whole)) {
        expect(Array.from(word).length).toBeLessThanOrEqual(WORD_LENGTH);
        for (const ending of endingsOf('title', word))
          expect(Array.from(ending).length).toBeLessThanOrEqual(ENDING_LENGTH);
      }
    }),
  );
});

it('a range of endings holds exactly those that begin with a part', () => {
  const character = fc.constantFrom('a', 'b', '\ud7ff', '\ue000', '\u{10ffff}', '😀');
  const short = fc
    .array(character, { minLength: 1, maxLength: 4 })
    .map((characters) => characters.join(''));
  fc.assert(
    fc.property(short, short, (part, ending) => {
      const end = endOfRange(part);
      const inRange = !isBefore(ending, part) && (end === null || isBefore(ending, end));
      expect(inRange).toBe(ending.startsWith(part));
    }),
    { numRuns: 2000 },
  );
});

it('an ISBN keeps its X, and other text is folded', () => {
  expect(wordsOf('isbn', '097522980X')).toEqual(['097522980X']);
  expect(wordsOf('title', 'The ÉTÉ, the été')).toEqual(['the', 'été,', 'été']);
});

it('the longest part is tried first, and few digits of an ISBN are not looked for', () => {
  expect(partsOf('title', 'of the magicians guild')).toEqual(['magicians', 'guild', 'the', 'of']);
  expect(partsOf('isbn', '978')).toEqual([]);
  expect(endingsOf('isbn', '9798618033992')).toHaveLength(10);
});

it.each([
  ['les misérables', 'les miserables'],
  ['l’été d\u2019øre', 'lete dore'],
  ['łódź', 'lodz'],
  ['cæsar', 'caesar'],
  // Marks of other scripts make other letters.
  ['が한글', 'が한글'],
])('%s is %s when it is typed in a hurry', (text, typed) => {
  expect(bare(text)).toBe(typed);
});
