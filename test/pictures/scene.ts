import { randomUUID } from 'node:crypto';
import type { Target } from '../support/service/target';
import { call } from './busy';

/** Everything that pages can show, once: what somebody has, and what nobody has. */

/** Titles as a Korean library has them. */
const KOREAN = [
  ['토지', '박경리', 1969],
  ['채식주의자', '한강', 2007],
  ['난장이가 쏘아올린 작은 공', '조세희', 1978],
  ['엄마를 부탁해', '신경숙', 2008],
] as const;

const TEXT = `The second shelf from the window has **everything** that came back this week.

- *Emma*, with notes in the margin
- *Dracula*, which nobody should read at night

> What is borrowed comes back, as a rule.

See [the catalogue](https://example.org/catalogue).`;

export interface Scene {
  /** Addresses of places, with something at each, by what their pictures are called. */
  readonly places: Readonly<Record<string, string>>;
  /** Somebody who has books, holds, courses and notices, and manages everything. */
  readonly owner: string;
  /** Somebody who has nothing. */
  readonly newcomer: string;
}

interface Owner {
  readonly userId: number;
  readonly token: string;
}

interface Title {
  readonly bookInfoId: number;
}

type Places = Record<string, string>;

/** @throws when the write is refused. */
async function sent(...write: Parameters<typeof call>): ReturnType<typeof call> {
  const answer = await call(...write);
  if ('code' in answer) throw new Error(`${write[2]}: ${JSON.stringify(answer)}`);
  return answer;
}

async function books(target: Target, { token }: Owner): Promise<Places> {
  const made = async (title: string, author: string, year: number, copies: number) => {
    const book = { title, author, publicationDate: `${year}-01-01`, copies };
    const { bookInfoId } = await sent(target, target.admin, '/api/book-infos', book);
    return { bookInfoId: bookInfoId as number };
  };
  const titles: Title[] = [];
  for (const [title, author, year] of KOREAN) titles.push(await made(title, author, year, 2));
  const [first, second, third] = titles as [Title, Title, Title];
  await sent(target, token, '/api/borrows', first);
  await sent(target, token, '/api/returns', first);
  for (const book of [first, second]) await sent(target, token, '/api/borrows', book);
  const out = await made(
    'The Left Hand of Darkness, and Other Journeys to the Coldest of All Worlds',
    ...(['Ursula K. Le Guin', 1969, 1] as const),
  );
  await sent(target, target.token(), '/api/borrows', out);
  await sent(target, target.token(), `/api/book-infos/${out.bookInfoId}/holds`);
  await sent(target, token, `/api/book-infos/${out.bookInfoId}/holds`);
  const addressOf = ({ bookInfoId }: Title) => `/books/${bookInfoId}`;
  return {
    title: addressOf(first),
    'title-free': addressOf(third),
    'title-out': addressOf(out),
  };
}

async function posts(target: Target, { userId, token }: Owner): Promise<Places> {
  const tags = ['reading', 'new arrivals', '독서 모임', 'classics'];
  let last = 0;
  for (const [index, title] of [
    'Reading group on Thursdays',
    '이번 달에 새로 들어온 책',
    'Quiet hours change in June',
    'What came back this week',
  ].entries()) {
    const post = { title, content: TEXT, tags: tags.slice(0, index + 1), userId };
    last = (await sent(target, token, '/posts', post))['postId'] as number;
  }
  return {
    post: `/board/${last}`,
    'post-edit': `/board/${last}/edit`,
    'posts-tagged': '/board?tags=reading',
    'posts-none': '/board?tags=nothing',
  };
}

async function courses(target: Target, { userId, token }: Owner): Promise<Places> {
  const made = async (courseName: string, capacity?: number) =>
    (await sent(target, token, '/courses', { courseName, userId, capacity }))['courseId'] as number;
  const own = await made('Bookbinding for beginners', 3);
  let videoId = 0;
  for (const title of [
    'Paper and grain',
    'Folding and sewing',
    'Boards and cloth',
    '책등 만들기',
  ]) {
    const video = { title, url: 'https://video.example/film', durationSeconds: 754 };
    videoId = (await sent(target, token, `/courses/${own}/videos`, video))['videoId'] as number;
  }
  const full = await made('한국 고전 문학 읽기', 1);
  await made('How to find anything in a catalogue');
  for (const [who, path] of [
    [token, `/courses/${own}/subscriptions`],
    [target.token(), `/courses/${own}/subscriptions`],
    [target.token(), `/courses/${full}/subscriptions`],
    [token, `/courses/${full}/waitlist`],
  ] as const)
    await sent(target, who, path);
  return {
    course: `/learn/${own}`,
    'course-full': `/learn/${full}`,
    player: `/learn/${own}/watch/${videoId}`,
    'course-desk': `/learn/${own}/desk`,
  };
}

export async function setScene(target: Target): Promise<Scene> {
  const userId = target.newUserId();
  const username = 'grace.hopper';
  const owner: Owner = {
    userId,
    token: target.token({ userId, username, isAdmin: true, role: 'lecturer' }),
  };
  const account = { username: `reader-${randomUUID().slice(0, 8)}`, password: randomUUID() };
  const signedUp = await sent(target, target.admin, '/api/auth/signup', account);
  await sent(target, target.admin, '/api/webhooks', {
    ...{ url: 'https://hooks.example/lendline', types: ['lending.borrow.created'] },
  });
  const places = {
    'desk-person': `/desk#/people/${signedUp['userId'] as number}/${account.username}`,
    ...(await books(target, owner)),
    ...(await posts(target, owner)),
    ...(await courses(target, owner)),
  };
  return { owner: owner.token, newcomer: target.token({ username: 'newcomer' }), places };
}
