import { cut, ENDING_LENGTH, runsOf, WORD_LENGTH } from '../search/words';

/** The words by which a post is found. */

/** Most distinct words by which a post is found. Those of its title come first. */
export const POST_WORDS_MAX = 1000;

export interface PostWords {
  readonly words: readonly string[];
  /** The text of the words, with spaces between. Phrases are compared with it. */
  readonly text: string;
}

/** Returns how many characters this many words of one run cover. */
const covered = (words: number): number => ENDING_LENGTH + words * (WORD_LENGTH - ENDING_LENGTH);

export function postWords({ title, content }: { title: string; content: string }): PostWords {
  const words = new Set<string>();
  const runs = new Set<string>();
  for (const text of [title, content]) {
    for (const run of runsOf('post', text)) {
      if (runs.has(run)) continue;
      const room = POST_WORDS_MAX - words.size;
      if (room <= 0) return { words: [...words], text: [...runs].join(' ') };
      const pieces = cut(run);
      for (const piece of pieces.slice(0, room)) words.add(piece);
      runs.add(pieces.length <= room ? run : Array.from(run).slice(0, covered(room)).join(''));
    }
  }
  return { words: [...words], text: [...runs].join(' ') };
}
