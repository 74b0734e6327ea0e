import { date, folded, line } from '../../../shared/fields';

describe('folded', () => {
  it.each([
    ['Straße', 'STRASSE'],
    ['ΟΔΟΣ', 'οδος'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['İstanbul', 'istanbul'],
    ['ＤＵＮＥ', 'dune'],
    ['한국어', '한국어'.normalize('NFD')],
  ])('makes %s and %s equal', (one, other) => {
    expect(folded(one)).toBe(folded(other));
  });

  it('keeps accents apart', () => {
    expect(folded('resume')).not.toBe(folded('résumé'));
  });

  it('finds a part of a word also at its end', () => {
    expect(folded('οδοσα')).toContain(folded('ΟΔΟΣ'));
  });
});

describe('a line of text', () => {
  it.each(['tab\tinside', 'nul\u0000', 'line\nbreak'])(
    'refuses the control character in %j',
    (text) => {
      expect(line(255).validate(text).error).toBeDefined();
    },
  );

  it('refuses half of a surrogate pair', () => {
    expect(line(255).validate('\ud83d').error).toBeDefined();
  });

  it('trims, and composes accents', () => {
    expect(line(255).validate(' re\u0301sume\u0301 ').value).toBe('résumé');
  });
});

describe('a date', () => {
  it.each(['2024-02-29', '0001-01-01', '9999-12-31'])('takes %s', (text) => {
    expect(date.validate(text).error).toBeUndefined();
  });

  it.each([
    '2023-02-29',
    '0000-01-01',
    '2024-13-01',
    '2024-1-1',
    '20240101',
    '2024-01-01T00:00:00Z',
  ])('refuses %s', (text) => {
    expect(date.validate(text).error).toBeDefined();
  });
});
