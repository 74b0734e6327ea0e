import { POST_WORDS_MAX, postWords } from '../../../shared/posts/words';

const post = (content: string, title = 'Title') => postWords({ title, content });

describe('the words of a post', () => {
  it('are the different ones of title and content, folded', () => {
    expect(post('It WAITS, it\nwaits; Straße 50%')).toEqual({
      words: ['title', 'it', 'waits,', 'waits;', 'strasse', '50%'],
      text: 'title it waits, waits; strasse 50%',
    });
  });

  it('are bounded, the first ones being kept', () => {
    const many = Array.from({ length: 2 * POST_WORDS_MAX }, (_, number) => `w${number}`);
    const { words, text } = post(many.join(' '));
    expect(words).toEqual(['title', ...many.slice(0, POST_WORDS_MAX - 1)]);
    expect(text).toBe(words.join(' '));
  });

  it('of a text without spaces are pieces of it, and the text ends where they do', () => {
    const run = Array.from({ length: 100_000 }, (_, at) =>
      String.fromCodePoint(0x4e00 + (at % 9999)),
    );
    const { words, text } = post(run.join(''));
    expect(words).toHaveLength(POST_WORDS_MAX);
    expect(text.endsWith(words.at(-1) ?? '-')).toBe(true);
  });
});
