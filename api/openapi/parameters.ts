import type { Components } from './components';
import type { JsonSchema } from './schema';

/** What a parameter means, and a value of it, by its name. */
interface Meaning {
  readonly description: string;
  readonly example: unknown;
}

const instant = '2026-11-21T09:50:27.711Z';
const commandId = 'f3c1'.repeat(10);

const MEANINGS: Readonly<Record<string, Meaning>> = {
  action: { description: 'An action, or its first words.', example: 'lending.update-book-info' },
  actor: { description: 'The user who did it.', example: 7 },
  after: { description: 'Where the page before ended.', example: 120 },
  aggregate: { description: 'The key of the aggregate.', example: 'book-info:42' },
  aggregateId: { description: 'Only events of this aggregate.', example: 'book-info:42' },
  author: { description: 'Words of the name of an author.', example: 'Herbert' },
  available: {
    description: 'Whether a copy can be borrowed now.',
    example: true,
  },
  barcode: { description: 'The barcode of a copy.', example: 'LIB-000108' },
  before: { description: 'The last command of the page before.', example: commandId },
  bookId: { description: 'The copy.', example: 99 },
  bookInfoId: { description: 'The title.', example: 42 },
  borrowId: { description: 'The borrow.', example: 1001 },
  code: { description: 'The code of a problem.', example: 'OUT_OF_STOCK' },
  command: { description: 'The id of the command.', example: commandId },
  courseId: { description: 'The course.', example: 3 },
  days: { description: 'How many days back borrows count.', example: 30 },
  exclude: {
    description: 'Posts with any of these tags are left out. The parameter may be repeated.',
    example: ['java'],
  },
  // Pages that try requests fill in the examples: what is tried there should happen.
  dryRun: { description: 'Whether to check only, and borrow nothing.', example: false },
  from: { description: 'From this instant, or day, on.', example: instant },
  holdId: { description: 'The hold.', example: 12 },
  id: { description: 'The id of a command.', example: commandId },
  isAdmin: { description: 'Whether the user is an administrator.', example: true },
  isbn: { description: 'An ISBN, with or without hyphens.', example: '9780441172719' },
  letterId: { description: 'The dead letter.', example: 4 },
  match: { description: 'Posts with all of the tags, or with any.', example: 'any' },
  me: { description: "The caller's own. Its name without a value is `true`.", example: true },
  name: { description: 'The name of the tag.', example: 'spring' },
  noticeId: { description: 'The notice.', example: 31 },
  onDuplicate: {
    description: 'What to do with an existing title: add copies, or refuse.',
    example: 'reject',
  },
  open: { description: 'Whether the hold is open: waiting or ready.', example: true },
  overdue: { description: 'Whether the borrow is open and past its due date.', example: true },
  page: { description: 'The page, from 1.', example: 2 },
  postId: { description: 'The post.', example: 5 },
  publishedFrom: { description: 'Published on this day or later.', example: '1965-01-01' },
  publishedTo: { description: 'Published on this day or before.', example: '1965-12-31' },
  q: { description: 'Words to search for.', example: 'dune' },
  returned: { description: 'Whether the borrow is returned.', example: false },
  role: { description: 'Users with this role.', example: 'lecturer' },
  size: { description: 'How many items a page has.', example: 50 },
  sort: { description: 'The order; `-` in front reverses it.', example: '-createdAt' },
  status: { description: 'Those with this status.', example: null },
  tags: { description: 'The tags to find.', example: ['c++', 'spring'] },
  target: { description: 'The target of the action.', example: 'user:7' },
  title: { description: 'Words of a title.', example: 'Dune' },
  to: { description: 'Before this instant, or up to and including this day.', example: instant },
  type: { description: 'An event type or its first words.', example: 'lending.borrow.*' },
  unread: {
    description: 'Whether the notice is unread.',
    example: true,
  },
  userId: { description: 'The user.', example: 7 },
  videoId: { description: 'The video.', example: 15 },
  worker: { description: 'The name of the worker.', example: 'host-41-a1b2c3' },
  webhookId: { description: 'The webhook.', example: 3 },
  wait: { description: 'How many seconds to wait for the result.', example: 5 },
};

/** Returns the example that fits this schema, because a name may have several meanings. */
function exampleOf({ enum: values, type, format }: JsonSchema, example: unknown): unknown {
  if (format === 'date') return String(example).slice(0, 10);
  if (Array.isArray(values) && !values.includes(example)) return values[0];
  return type === 'string' ? String(example) : example;
}

const says = (text: string, other: string): boolean =>
  text.toLowerCase().includes(other.toLowerCase().replace(/\.$/, ''));

/** Joins the meaning of a parameter with the description of its rule, without repeating either. */
function together(meaning: string, rule: string): string {
  if (says(meaning, rule)) return meaning;
  return says(rule, meaning) ? rule : `${meaning} ${rule}`;
}

/**
 * Returns a parameter with its description, that of its rule, and an example.
 * @throws Error when nothing is known about a parameter of this name.
 */
export function describedParameter(
  name: string,
  { description, ...schema }: JsonSchema,
  components: Components,
): object {
  const meaning = MEANINGS[name];
  if (!meaning) throw new Error(`api/openapi/parameters.ts does not say what ${name} means`);
  const rule = typeof description === 'string' && schema.title === undefined ? description : '';
  return {
    description: together(meaning.description, rule),
    example: exampleOf(schema, meaning.example),
    schema: components.refer(schema.title === undefined ? schema : { ...schema, description }),
  };
}
