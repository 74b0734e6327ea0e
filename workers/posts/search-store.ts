import { PostWords as PostWordsTable } from '../../shared/posts/tables';
import { postWords, type PostWords } from '../../shared/posts/words';
import { addedWords, knownWords, removedWords, type Word } from '../batch/service/search-words';
import type { Read } from '../batch/service/state-plan';
import { insert, placeholders } from '../batch/sql/statements';
import type { Statement } from '../batch/sql/transaction';
import type { Wanted } from './needs';
import type { Post, PostsState } from './state';

/** Keeps the words by which posts are found. */

const NO_WORDS: PostWords = { words: [], text: '' };
const named = (words: readonly string[]): Word[] => words.map((word) => ({ kind: 'post', word }));

/**
 * Reads which words of the commands are stored already, and locks them until the batch has ended.
 */
export function searchReads(texts: Wanted['texts'], lockRows: boolean): Read<PostsState>[] {
  const words = texts.flatMap(
    ({ title = '', content = '' }) => postWords({ title, content }).words,
  );
  const lock = lockRows ? ' LOCK IN SHARE MODE' : '';
  return knownWords<PostsState>(named([...new Set(words)])).map((read) => ({
    ...read,
    statement: { ...read.statement, sql: `${read.statement.sql}${lock}` },
  }));
}

interface Changed {
  readonly inserted: readonly Post[];
  readonly updated: readonly Post[];
  readonly deleted: readonly Post[];
}

export function searchWrites(
  state: PostsState,
  { inserted, updated, deleted }: Changed,
): Statement[] {
  const added: (Word & { id: number })[] = [];
  const removals: Statement[] = [];
  const texts: { [Kind in 'new' | 'changed']: { id: number; words: string }[] } = {
    new: [],
    changed: [],
  };
  for (const post of [...inserted, ...updated]) {
    const { id } = post;
    const stored = state.storedPost(id);
    const isFound = stored !== undefined && state.isFound(id);
    if (isFound && stored.title === post.title && stored.content === post.content) continue;
    const [before, after] = [isFound ? postWords(stored) : NO_WORDS, postWords(post)];
    const [had, has] = [new Set(before.words), new Set(after.words)];
    const gained = after.words.filter((word) => !had.has(word));
    added.push(...named(gained).map((word) => ({ ...word, id })));
    removals.push(...removedWords(id, named(before.words.filter((word) => !has.has(word)))));
    texts[isFound ? 'changed' : 'new'].push({ id, words: after.text });
  }
  const gone = deleted.map(({ id }) => id);
  removals.push(
    ...deleted.flatMap((post) => removedWords(post.id, named(postWords(post).words))),
    ...(gone.length > 0
      ? [
          {
            sql: `DELETE FROM post_text WHERE post_id IN (${placeholders(gone.length)})`,
            values: gone,
          },
        ]
      : []),
  );
  return [
    ...removals,
    ...addedWords(added, state.knownWords),
    ...insert(
      PostWordsTable,
      texts.new.map(({ id, words }) => ({ postId: id, words })),
    ),
    ...texts.changed.map(({ id, words }) => ({
      sql: 'UPDATE post_text SET words = ? WHERE post_id = ?',
      values: [words, id],
    })),
  ];
}
