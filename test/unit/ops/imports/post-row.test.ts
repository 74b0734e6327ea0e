import { cleanPostRow, type POST_COLUMNS } from '../../../../workers/ops/imports/post-row';
import type { RawCells } from '../../../../workers/ops/imports/row-format';
import { refusalOf } from './refusal';

type PostCells = RawCells<(typeof POST_COLUMNS)[number]>;
const PLAIN: PostCells = { title: 'Title', content: 'Content', userid: '7' };

function clean(cells: PostCells) {
  const warnings: string[] = [];
  return { ...cleanPostRow({ ...PLAIN, ...cells }, warnings), warnings };
}

const reasonOf = (cells: PostCells): string => refusalOf(() => clean(cells));

describe('a row of posts', () => {
  it('makes a post, from CSV as from JSON Lines', () => {
    const post = {
      title: 'Title',
      content: 'Content',
      tags: ['c++', 'spring boot'],
      userId: 7,
      warnings: [],
    };
    expect(clean({ tags: 'c++, spring boot' })).toEqual(post);
    expect(clean({ tags: ['c++', 'spring  boot '], userid: 7 })).toEqual(post);
    expect(clean({ tags: '["c++","spring boot"]' })).toEqual(post);
    expect(clean({ tags: '[1],[2]' })).toMatchObject({ tags: ['[1]', '[2]'] });
    expect(clean({ tags: '[1]' })).toMatchObject({ tags: ['[1]'] });
    expect(clean({ tags: '[]' })).toMatchObject({ tags: [] });
  });

  it('has its title on one line, and its content as it was written', () => {
    expect(clean({ title: ' Cafe\u0301\n  Society ', content: '  two\r\nlines\t' })).toMatchObject({
      title: 'Café Society',
      content: '  two\r\nlines\t',
    });
  });

  it.each([
    [undefined, []],
    [null, []],
    ['', []],
    [' , ,', []],
    ['a', ['a']],
    ['b,A,,B', ['b', 'A']],
    ['x|y,z', ['x|y', 'z']],
  ])('with the tags %j has %j', (tags, expected) => {
    expect(clean({ tags })).toMatchObject({ tags: expected, warnings: [] });
  });

  it('warns of tags that look separated by something else', () => {
    expect(clean({ tags: 'a|b' })).toMatchObject({
      tags: ['a|b'],
      warnings: ["'a|b' is taken for one tag: tags are separated by commas"],
    });
  });

  it.each<[PostCells, RegExp]>([
    [{ title: ' ' }, /^title /],
    [{ title: 'x'.repeat(256) }, /^title .*255/],
    [{ title: { text: 'x' } }, /^title must be text$/],
    [{ content: '' }, /^content /],
    [{ content: 'x'.repeat(100_001) }, /^content .*100000/],
    [{ tags: 'x'.repeat(51) }, /^tags\[0\] .*50/],
    [{ tags: ['a', ''] }, /^tags\[1\] must not be blank/],
    [{ tags: [1] }, /^tags\[0\] must be a string/],
    [{ tags: { a: 1 } }, /^tags must be an array/],
    [{ tags: Array.from({ length: 21 }, (_, index) => `t${index}`).join() }, /^tags .*20/],
    [{ userid: '' }, /^userId is required/],
    [{ userid: '0' }, /^userId .*1/],
    [{ userid: 'ann' }, /^userId must be a number/],
    [{ userid: '9007199254740992' }, /^userId .*safe/],
  ])('is refused with column and rule for %.50j', (cells, reason) => {
    expect(reasonOf(cells)).toMatch(reason);
  });

  it('is refused with all its faults at once', () => {
    expect(reasonOf({ title: '', content: '', userid: 'x' })).toMatch(/title .*content .*userId /);
  });
});
