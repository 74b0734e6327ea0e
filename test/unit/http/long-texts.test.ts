import { accountName } from '../../../shared/identity/names';
import { bookFields } from '../../../shared/lending/payloads';
import { tag } from '../../../shared/posts/tag';

/**
 * Composing a megabyte, or making out what it looks like, can stand in the way of everybody for a
 * second. A text of such a length is refused before.
 */

const MEGABYTE = 350_000;
/** A character that gets longest, one that gets longer, one that is long already, and none. */
const CHARACTERS = ['ﷺ', '\u0958', '👍', 'a'];

const FIELDS = { 'a title': bookFields.title, 'a new name': accountName, 'a tag': tag };

describe.each(Object.entries(FIELDS))('%s that is far too long', (_name, rule) => {
  it.each(CHARACTERS)('is refused without a look at its characters: %j', (character) => {
    const composed = jest.spyOn(String.prototype, 'normalize');
    const { error } = rule.validate(character.repeat(MEGABYTE), { abortEarly: false });
    const times = composed.mock.calls.length;
    composed.mockRestore();
    expect(error?.details.map(({ type }) => type)).toEqual(['string.max']);
    expect(times).toBe(0);
  });
});
