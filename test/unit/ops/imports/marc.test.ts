import { marcBook } from '../../../../workers/ops/imports/marc/book';
import type { Field } from '../../../support/fixtures/marc';

/** A record of these fields, as the readers of both forms give it. */
const recordOf = (...fields: readonly Field[]) => ({
  leader: '00000nam a2200000 i 4500',
  fields: fields.map(([tag, first = '', ...rest]) => ({
    tag,
    indicators: rest.length === 0 ? '' : first,
    subfields:
      rest.length === 0
        ? [['', first] as const]
        : rest.flatMap((code, index) =>
            index % 2 === 0 ? [[code, rest[index + 1] ?? ''] as const] : [],
          ),
  })),
});

const cellsOf = (...fields: readonly Field[]) => marcBook(recordOf(...fields)).cells;

describe('the title of a MARC record', () => {
  it.each<[string, Field, string]>([
    ['without the slash', ['245', '10', 'a', 'Dune /', 'c', 'Frank Herbert.'], 'Dune'],
    [
      'with its remainder behind a colon',
      ['245', '10', 'a', 'Educated :', 'b', 'a memoir /', 'c', 'Tara Westover.'],
      'Educated: a memoir',
    ],
    [
      'with number and name of its part',
      [
        '245',
        '14',
        'a',
        'The lord of the rings.',
        'n',
        'Part one,',
        'p',
        'The fellowship /',
        'c',
        'T.',
      ],
      'The lord of the rings. Part one, The fellowship',
    ],
    [
      'with marks of its own where the record has none',
      ['245', '10', 'a', 'Henry IV', 'n', 'Part 2', 'p', 'Notes', 'b', 'an edition'],
      'Henry IV. Part 2, Notes: an edition',
    ],
    [
      'with the same in another language',
      ['245', '10', 'a', '채식주의자 =', 'b', 'The vegetarian /', 'd', '한강 지음'],
      '채식주의자 = The vegetarian',
    ],
    [
      'without the comma of older records',
      ['245', '10', 'a', 'Emma; a novel,', 'c', 'by Jane Austen.'],
      'Emma; a novel',
    ],
    ['without the full stop of a record that has no slash', ['245', '00', 'a', 'Time.'], 'Time'],
    ['with the full stop of initials', ['245', '00', 'a', 'The U.S.'], 'The U.S.'],
    ['with composed letters', ['245', '00', 'a', 'Les Mise\u0301rables'], 'Les Misérables'],
    [
      'without the medium',
      ['245', '10', 'a', 'Emma', 'h', '[sound recording] /', 'c', 'Austen'],
      'Emma',
    ],
  ])('is read %s', (_, field, title) => {
    expect(cellsOf(field).title).toBe(title);
  });

  it('is cut before a remainder that makes it too long, which is reported', () => {
    const { cells, leftOut } = marcBook(
      recordOf(['245', '10', 'a', 'Long :', 'b', `${'x'.repeat(250)} /`, 'c', 'Ann']),
    );
    expect([cells.title, leftOut]).toEqual(['Long', ['245$b']]);
  });
});

describe('the author of a MARC record', () => {
  const title: Field = ['245', '10', 'a', 'A title /', 'c', 'by Ann Lee, Bo Ek.'];

  it.each<[string, Field[], string]>([
    [
      'by the given name first',
      [['100', '1 ', 'a', 'Rowling, J. K.,', 'e', 'author.']],
      'J. K. Rowling',
    ],
    ['as it is when the surname does not come first', [['100', '0 ', 'a', 'Plato.']], 'Plato'],
    ['with a number', [['100', '0 ', 'a', 'John Paul', 'b', 'II,', 'c', 'Pope']], 'John Paul II'],
    ['as a body with its part', [['110', '2 ', 'a', 'Unesco.', 'b', 'Office.']], 'Unesco. Office'],
    [
      'with other authors, but without translators and works',
      [
        ['100', '1 ', 'a', 'Gaiman, Neil.'],
        ['700', '1 ', 'a', 'Pratchett, Terry,', 'e', 'author.'],
        ['700', '1 ', 'a', 'Kim, Min,', 'e', 'translator.'],
        ['700', '1 ', 'a', 'Milton, John.', 't', 'Paradise lost.'],
      ],
      'Neil Gaiman, Terry Pratchett',
    ],
    ['in the words of the title page when no name is there', [], 'Ann Lee, Bo Ek'],
  ])('is read %s', (_, fields, author) => {
    expect(cellsOf(title, ...fields).author).toBe(author);
  });
});

describe('the date of a MARC record', () => {
  const coded = (date: string): Field => ['008', `250101${date}nyu           000 1 eng d`];
  const stated = (text: string): Field => ['264', ' 1', 'a', 'London :', 'c', text];

  it.each<[string, Field[], string]>([
    ['the year of field 008', [coded('s1997    '), stated('1998')], '1997'],
    ['the day of field 008', [coded('e20010228')], '2001-02-28'],
    ['the year alone when the day cannot be', [coded('e20011340')], '2001'],
    [
      'the year that is stated when field 008 has none',
      [coded('s19uu    '), stated('[1997?]')],
      '1997',
    ],
    ['nothing when it is unknown', [coded('nuuuuuuuu'), stated('n.d.')], ''],
  ])('is %s', (_, fields, date) => {
    expect(cellsOf(...fields).publicationdate).toBe(date);
  });
});

it('takes the first ISBN that is valid, without its qualifier, and tells the others', () => {
  const { cells, leftOut } = marcBook(
    recordOf(
      ['020', '  ', 'a', '0439023484 (broken)'],
      ['020', '  ', 'a', '0-439-02348-3 (pbk.)', 'c', '$9.99'],
      ['020', '  ', 'z', '9780439023528'],
    ),
  );
  expect([cells.isbn, leftOut]).toEqual(['0439023483', ['020', '020$c', '020']]);
});

describe('the copies of a MARC record', () => {
  const location: Field = ['852', '  ', 'a', 'Main', 'h', '813.54'];
  const copies = (...fields: readonly Field[]) => {
    const { cells, leftOut } = marcBook(recordOf(location, ...fields));
    return [cells.copies, cells.barcodes, leftOut];
  };

  it.each<[string, Field[], unknown[]]>([
    [
      'items of Koha, but not those that are lost, damaged or withdrawn',
      [
        ['952', '  ', '0', '0', '1', '0', 'p', 'A1'],
        ['952', '  ', '1', '2', 'p', 'A2'],
        ['952', '  ', 'o', '813'],
      ],
      ['2', ['A1'], ['852', '952$0', '952$1', '952', '952$o']],
    ],
    [
      'items in fields 876',
      [
        ['876', '  ', 'p', 'B1', 't', '1'],
        ['876', '  ', 'p', 'B1'],
      ],
      ['1', ['B1'], ['852']],
    ],
    [
      'locations with a barcode or the number of a copy',
      [
        ['852', '  ', 'p', 'C1'],
        ['852', '  ', 't', '2'],
      ],
      ['2', ['C1'], ['852']],
    ],
    ['none, where the record says so', [['852', '  ', 't', '0']], ['0', [], ['852']]],
    ['unknown, where it only has a location', [], [undefined, undefined, ['852']]],
  ])('are %s', (_, fields, expected) => {
    expect(copies(...fields)).toEqual(expected);
  });
});

it('takes the link of a cover, and tells every other field once by its tag', () => {
  const { cells, leftOut } = marcBook(
    recordOf(
      ['001', '42'],
      ['245', '10', 'a', 'Emma', 'f', '1815'],
      ['650', ' 0', 'a', 'Matchmaking', 'v', 'Fiction.'],
      ['650', ' 0', 'a', 'England'],
      ['856', '42', 'u', 'https://a.example/toc'],
      ['856', '42', '3', 'Cover image', 'u', 'https://a.example/1.jpg'],
    ),
  );
  expect(cells.bookimg).toBe('https://a.example/1.jpg');
  expect(leftOut).toEqual(['245$f', '650', '650', '856']);
});
