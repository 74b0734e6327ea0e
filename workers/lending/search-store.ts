import {
  endingsOf,
  isBarable,
  wordsOf,
  type EndingKind,
  type WordKind,
} from '../../shared/lending/search-words';
import { SearchEnding, SearchWord } from '../../shared/lending/tables';
import type { Read } from '../batch/state-plan';
import { insert, insertIgnoring, placeholders, tuplesIn } from '../batch/statements';
import type { Statement } from '../batch/transaction';
import type { Wanted } from './needs';
import type { LendingState, Title } from './state';

/**
 * Keeps the words by which titles are found (see `shared/lending/search-words.ts`), in the
 * transaction of whatever changes them. The endings of a word are written by the first who has it.
 * Because many titles share words, those known already are not even tried: a row that is there
 * would be locked.
 */

interface Word {
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

const nameOf = ({ kind, word }: Ended): string => `${kind} ${word}`;
const words = (kind: WordKind, text: string): Word[] =>
  wordsOf(kind, text).map((word) => ({ kind, word }));

/** What a title is found by, nothing for one that is not there or deleted. */
function wordsOfTitle(title: Title | undefined): Word[] {
  if (!title || title.deletedAt) return [];
  return [
    ...words('title', title.title),
    ...(title.isbn === null ? [] : words('isbn', title.isbn)),
  ];
}

/** The different words whose endings there must be, those without accents among them. */
function ended(all: readonly Word[]): Ended[] {
  const bare = all.filter(({ kind, word }) => isBarable(kind, word));
  const both = [...all, ...bare.map(({ word }): Ended => ({ kind: 'bare', word }))];
  return [
    ...new Map(both.map(({ kind, word }) => [nameOf({ kind, word }), { kind, word }])).values(),
  ];
}

/** Which of the words that the commands may bring are known. An ISBN is hardly ever. */
export function searchReads(texts: Wanted['texts']): Read<LendingState>[] {
  const wanted = ended(
    texts.flatMap(({ title = '', author = '' }) => [
      ...words('title', title),
      ...words('author', author),
    ]),
  );
  const reads: Read<LendingState>[] = [];
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

export function searchWrites(
  state: LendingState,
  { authors, titles }: Pick<ReturnType<LendingState['pending']>, 'authors' | 'titles'>,
): Statement[] {
  const added: (Word & { id: number })[] = authors.flatMap(({ id, name }) =>
    words('author', name).map((word) => ({ ...word, id })),
  );
  const removals: Statement[] = [];
  for (const title of [...titles.inserted, ...titles.described]) {
    const { id } = title;
    const [before, after] = [wordsOfTitle(state.storedTitle(id)), wordsOfTitle(title)];
    const [had, has] = [new Set(before.map(nameOf)), new Set(after.map(nameOf))];
    added.push(...after.filter((word) => !had.has(nameOf(word))).map((word) => ({ ...word, id })));
    removals.push(
      ...(['title', 'isbn'] as const).flatMap((kind) =>
        removal(
          id,
          before.filter((word) => word.kind === kind && !has.has(nameOf(word))),
        ),
      ),
    );
  }
  const unknown = ended(added).filter((word) => !state.knownWords.has(nameOf(word)));
  // In their order, so that workers who have words in common lock them in the same one.
  const endings = unknown
    .flatMap(({ kind, word }) => endingsOf(kind, word).map((ending) => ({ kind, ending, word })))
    .sort(byEnding);
  return [
    ...removals,
    ...insertIgnoring(SearchEnding, endings),
    ...insert(
      SearchWord,
      added.map(({ kind, word, id }) => ({ kind, word, id })),
    ),
  ];
}

function removal(id: number, gone: readonly Word[]): Statement[] {
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

function byEnding(a: Ending, b: Ending): number {
  const [first, second] = [`${a.kind} ${a.ending} ${a.word}`, `${b.kind} ${b.ending} ${b.word}`];
  return first < second ? -1 : Number(first > second);
}
