import fc from 'fast-check';
import type { PostsCommand, PostsCommands } from '../../../../shared/posts/commands';
import { admin, create, merge, remove, removeTag, rename, update, user } from './board';
import type { Reference } from './reference';

/**
 * Random commands of posts. A step picks by number; which post or spelling a number means is found
 * out when the step's turn comes.
 */

/** What the commands of one sequence are about. */
export interface World {
  readonly users: readonly [number, number];
  /** Lists of spellings that mean the same tag. */
  readonly spellings: readonly (readonly string[])[];
}

/** An id that nothing has. */
const NOBODY = 2 ** 50;
const TEXTS = ['Text', 'Other text', ' "quoted" \\ 😀\n'];

const pick = fc.nat(99);
const tags = fc.array(pick, { maxLength: 5 });
/** Null: left alone. */
const change = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 2 });
const by = fc.constantFrom(
  'author' as const,
  'author' as const,
  'author' as const,
  'admin' as const,
  'other' as const,
);

const creating = fc.record({ kind: fc.constant('create' as const), user: fc.nat(1), tags });
const updating = fc.record({
  kind: fc.constant('update' as const),
  post: pick,
  by,
  title: change(pick),
  content: change(pick),
  tags: change(tags),
});
const removing = fc.record({ kind: fc.constant('remove' as const), post: pick, by });
const merging = fc.record({ kind: fc.constant('merge' as const), name: pick, into: pick });
const renaming = fc.record({ kind: fc.constant('rename' as const), name: pick, to: pick });
const removingTag = fc.record({ kind: fc.constant('remove-tag' as const), name: pick });

type StepOf<Kind> = Kind extends fc.Arbitrary<infer Value> ? Value : never;
export type PostStep = StepOf<
  | typeof creating
  | typeof updating
  | typeof removing
  | typeof merging
  | typeof renaming
  | typeof removingTag
>;
export const postStep: fc.Arbitrary<PostStep> = fc.oneof(
  { weight: 6, arbitrary: creating },
  { weight: 6, arbitrary: updating },
  { weight: 3, arbitrary: removing },
  { weight: 2, arbitrary: merging },
  { weight: 2, arbitrary: renaming },
  { weight: 1, arbitrary: removingTag },
);

const from = <Item>(items: readonly Item[], number: number): Item | undefined =>
  items[number % Math.max(items.length, 1)];

type Changes = PostsCommands['posts.update-post']['changes'];

function changesOf(
  { title, content, tags: picked }: Extract<PostStep, { kind: 'update' }>,
  spelling: (number: number) => string,
): Changes {
  const changes = {
    ...(title !== null && { title: `Title ${title % 3}` }),
    ...(content !== null && { content: from(TEXTS, content) ?? '' }),
    ...(picked && { tags: picked.map(spelling) }),
  };
  return Object.keys(changes).length > 0 ? changes : { title: 'Title' };
}

export function postCommand(step: PostStep, world: World, reference: Reference): PostsCommand {
  const spelling = (number: number): string => from(world.spellings.flat(), number) ?? '';
  if (step.kind === 'create') return create(step.tags.map(spelling), world.users[step.user]);
  if (step.kind === 'merge') return merge(spelling(step.name), spelling(step.into));
  if (step.kind === 'rename') return rename(spelling(step.name), spelling(step.to));
  if (step.kind === 'remove-tag') return removeTag(spelling(step.name));
  // One number in sixteen means a post that is not there.
  const post = step.post % 16 === 0 ? undefined : from(reference.posts, step.post);
  const actor = { author: user(post?.userId ?? NOBODY), admin, other: user(NOBODY) }[step.by];
  return step.kind === 'remove'
    ? remove(post?.id ?? NOBODY, actor)
    : update(post?.id ?? NOBODY, changesOf(step, spelling), actor);
}
