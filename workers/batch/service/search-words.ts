import { endingsOf, isBarable, type EndingKind, type WordKind } from '../../../shared/search/words';
import { SearchEnding, SearchWord } from '../../../shared/search/tables';
import type { Read } from './state-plan';
import { insert, insertIgnoring, placeholders, tuplesIn } from '../sql/statements';
import type { Statement } from '../sql/transaction';

/**
 * Keeps the words by which things are found (see `shared/search/words.ts`), in the transaction of
 * whatever changes them. The endings of a word are written by the first who has it. Because many
 * things share words, those known already are not even tried: a row that is there would be locked.
 */

export interface Word {
  readonly kind: WordKind;
  readonly word: string;
}

/** Most words that one SELECT asks for. */
const WORDS_PER_STATEMENT = 1000;

/** A word whose endings are kept; that of both a title and a name is bare once. */
interface Ended {
  readonly kind: EndingKind;
  readonly word: string;
}

export const nameOf = ({ kind, word }: Ended): string => `${kind} ${word}`;

/** The different words whose endings there must be, those without accents among them. */
function ended(all: readonly Word[]): Ended[] {
  const bare = all.filter(({ kind, word }) => isBarable(kind, word));
  const both = [...all, ...bare.map(({ word }): Ended => ({ kind: 'bare', word }))];
  return [
    ...new Map(both.map(({ kind, word }) => [nameOf({ kind, word }), { kind, word }])).values(),
  ];
}

/** Which of the words are known: puts their names into the state. */
export function knownWords<State extends { readonly knownWords: Set<string> }>(
  words: readonly Word[],
): Read<State>[] {
  const wanted = ended(words);
  const reads: Read<State>[] = [];
  for (let start = 0; start < wanted.length; start += WORDS_PER_STATEMENT) {
    const part = wanted.slice(start, start + WORDS_PER_STATEMENT);
    const whole = part.map(({ kind, word }) => [kind, endingsOf(kind, word)[0], word]);
    reads.push({
      statement: {
        sql: `SELECT kind, word FROM search_ending WHERE ${tuplesIn(SearchEnding, ['kind', 'ending', 'word'], whole.length)}`,
        values: whole.flat(),
      },
      apply: (rows, state) => {
        for (const { kind, word } of rows)
          state.knownWords.add(nameOf({ kind: kind as EndingKind, word: word as string }));
      },
    });
  }
  return reads;
}

/** Words with the ids of what has them, and the endings of those that are not known. */
export function addedWords(
  added: readonly (Word & { readonly id: number })[],
  known: ReadonlySet<string>,
): Statement[] {
  const unknown = ended(added).filter((word) => !known.has(nameOf(word)));
  // In their order, so that workers who have words in common lock them in the same one.
  const endings = unknown
    .flatMap(({ kind, word }) => endingsOf(kind, word).map((ending) => ({ kind, ending, word })))
    .sort(byEnding);
  return [
    ...insertIgnoring(SearchEnding, endings),
    ...insert(
      SearchWord,
      added.map(({ kind, word, id }) => ({ kind, word, id })),
    ),
  ];
}

/** Takes words, which are of one kind, away from what has this id. */
export function removedWords(id: number, gone: readonly Word[]): Statement[] {
  const [first] = gone;
  if (!first) return [];
  const values = [first.kind, id, ...gone.map(({ word }) => word)];
  return [
    {
      sql: `DELETE FROM search_word WHERE kind = ? AND id = ? AND word IN (${placeholders(gone.length)})`,
      values,
    },
  ];
}

interface Ending extends Ended {
  readonly ending: string;
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const byEnding = (a: Ending, b: Ending): number =>
  inOrder(a.kind, b.kind) || inOrder(a.ending, b.ending) || inOrder(a.word, b.word);
