import { wordsOf, type WordKind } from '../../shared/search/words';
import {
  addedWords,
  knownWords,
  nameOf,
  removedWords,
  type Word,
} from '../batch/service/search-words';
import type { Read } from '../batch/service/state-plan';
import type { Statement } from '../batch/sql/transaction';
import type { Wanted } from './needs';
import type { Title } from './rows';
import type { LendingState } from './state';

/** Stores the words by which titles are found. */

const words = (kind: WordKind, text: string): Word[] =>
  wordsOf(kind, text).map((word) => ({ kind, word }));

/** Returns the words of a title, and none for a missing or deleted one. */
function wordsOfTitle(title: Title | undefined): Word[] {
  if (!title || title.deletedAt) return [];
  return [
    ...words('title', title.title),
    ...(title.isbn === null ? [] : words('isbn', title.isbn)),
  ];
}

/** Reads which words of the commands are stored already. Those of an ISBN hardly ever are. */
export function searchReads(texts: Wanted['texts']): Read<LendingState>[] {
  return knownWords(
    texts.flatMap(({ title = '', author = '' }) => [
      ...words('title', title),
      ...words('author', author),
    ]),
  );
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
        removedWords(
          id,
          before.filter((word) => word.kind === kind && !has.has(nameOf(word))),
        ),
      ),
    );
  }
  return [...removals, ...addedWords(added, state.knownWords)];
}
