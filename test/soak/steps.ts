import { randomInt } from 'node:crypto';
import type { Answer, Call, UsersOptions } from './call';

/**
 * What users do, step by step. There are always about as many users, titles, posts and courses, so
 * that nothing but history grows.
 */

const READERS = 150;
const TITLES = 60;
const COPIES = 3;
const COURSES = 20;
const POSTS = 200;
const NAMES = 5;
const TAGS = ['c++', 'rust', 'sql', 'queues', 'caches', 'locks', 'tests', 'web'];
const PASSWORD = 'correct horse battery';

type Caller = (method: string, path: string, call?: Call) => Promise<Answer>;

const any = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)] as Item;

export class Steps {
  private titles: number[] = [];
  private courses: number[] = [];
  private readonly posts: { readonly id: number; readonly by: number }[] = [];
  private readonly holds: { readonly id: number; readonly by: number }[] = [];
  /** Borrow by reader and title. */
  private readonly borrows = new Map<string, number>();
  private readonly subscribed = new Set<string>();
  private readonly readers: readonly { readonly id: number; readonly token: string }[];
  private readonly lecturer: string;
  private made = 0;
  private readonly weights: readonly (readonly [weight: number, step: () => Promise<unknown>])[] = [
    [45, () => this.lend()],
    [4, () => this.cancelHold()],
    [20, () => this.write()],
    [1, () => this.mergeTags()],
    [15, () => this.subscribe()],
    [4, () => this.rename()],
    [3, () => this.logIn()],
    [8, () => this.look()],
  ];

  constructor(
    private readonly call: Caller,
    private readonly options: UsersOptions,
  ) {
    const first = 2 ** 41 + randomInt(2 ** 40);
    this.readers = Array.from({ length: READERS }, (_, index) => ({
      id: first + index,
      token: options.tokenOf(first + index),
    }));
    this.lecturer = options.tokenOf(first + READERS, 'lecturer');
  }

  async prepare(): Promise<void> {
    const { admin } = this.options;
    for (let number = 1; number <= TITLES; number += 1)
      this.titles.push(
        await this.created('bookInfoId', '/api/book-infos', admin, {
          title: `Soak ${number}`,
          author: 'Ursula',
          copies: COPIES,
        }),
      );
    for (let number = 1; number <= COURSES; number += 1)
      this.courses.push(
        await this.created('courseId', '/courses', this.lecturer, { courseName: `Soak ${number}` }),
      );
    for (let number = 0; number < NAMES; number += 1)
      await this.call('POST', '/api/auth/signup', {
        body: { username: `soak-${number}`, password: PASSWORD },
      });
  }

  /** One step, by its weight. */
  async step(): Promise<void> {
    let left = randomInt(this.weights.reduce((sum, [weight]) => sum + weight, 0));
    const [, step] = this.weights.find(([weight]) => (left -= weight) < 0) ?? [];
    await step?.();
  }

  private async created(field: string, path: string, token: string, body: object): Promise<number> {
    const answer = await this.call('POST', path, { token, body });
    const made = answer.body[field];
    if (typeof made !== 'number')
      throw new Error(`POST ${path} was answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return made;
  }

  private async lend(): Promise<void> {
    const { id, token } = any(this.readers);
    const bookInfoId = any(this.titles);
    const name = `${id}:${bookInfoId}`;
    const borrowId = this.borrows.get(name);
    if (borrowId !== undefined) {
      if (randomInt(4) === 0) {
        await this.call('POST', `/api/borrows/${borrowId}/renewals`, { token });
        return;
      }
      this.borrows.delete(name);
      await this.call('POST', '/api/returns', { token, body: { borrowId } });
      return;
    }
    const { status, body } = await this.call('POST', '/api/borrows', {
      token,
      body: { bookInfoId },
    });
    if (status === 201) {
      this.borrows.set(name, Number(body['borrowId']));
      if (randomInt(2) === 0) await this.returnOldest();
    } else {
      const hold = await this.call('POST', `/api/book-infos/${bookInfoId}/holds`, { token });
      if (hold.status === 201) this.holds.push({ id: Number(hold.body['holdId']), by: id });
      await this.returnOldest();
    }
    await this.call('GET', `/api/book-infos/${bookInfoId}`, { token });
  }

  /** So that there are always copies to borrow. */
  private async returnOldest(): Promise<void> {
    const [name, borrowId] = this.borrows.entries().next().value ?? [];
    if (name === undefined || this.borrows.size < TITLES) return;
    this.borrows.delete(name);
    await this.call('POST', '/api/returns', {
      token: this.tokenOf(Number(name.split(':')[0])),
      body: { borrowId },
    });
  }

  private async cancelHold(): Promise<void> {
    const hold = this.holds.shift();
    if (hold) await this.call('DELETE', `/api/holds/${hold.id}`, { token: this.tokenOf(hold.by) });
  }

  private async write(): Promise<void> {
    const { id, token } = any(this.readers);
    const tags = [any(TAGS), any(TAGS)];
    if (this.posts.length >= POSTS) {
      const gone = this.posts.shift();
      if (gone) await this.call('DELETE', `/posts/${gone.id}`, { token: this.tokenOf(gone.by) });
    } else if (this.posts.length > 20 && randomInt(3) === 0) {
      const post = any(this.posts);
      await this.call('PATCH', `/posts/${post.id}`, {
        token: this.tokenOf(post.by),
        body: { tags },
      });
      await this.call('GET', `/posts/${post.id}`);
    } else {
      const { body } = await this.call('POST', '/posts', {
        token,
        body: {
          title: `Soak ${(this.made += 1)}`,
          content: 'Some content. '.repeat(20),
          tags,
          userId: id,
        },
      });
      if (typeof body['postId'] === 'number') this.posts.push({ id: body['postId'], by: id });
    }
    await this.call('GET', `/posts/tags?tags=${encodeURIComponent(tags[0] ?? '')}`);
  }

  private async mergeTags(): Promise<void> {
    const { id, token } = any(this.readers);
    const name = `soak-${randomInt(NAMES)}`;
    const { body } = await this.call('POST', '/posts', {
      token,
      body: { title: 'Soak', content: 'Some content', tags: [name], userId: id },
    });
    await this.call('POST', `/tags/${name}/merge`, {
      token: this.options.admin,
      body: { into: any(TAGS) },
    });
    if (typeof body['postId'] === 'number') this.posts.push({ id: body['postId'], by: id });
  }

  private async subscribe(): Promise<void> {
    const { id, token } = any(this.readers);
    const course = any(this.courses);
    const name = `${id}:${course}`;
    const taken = this.subscribed.delete(name);
    if (!taken) this.subscribed.add(name);
    await this.call(taken ? 'DELETE' : 'POST', `/courses/${course}/subscriptions`, { token });
    await this.call('GET', `/users/${id}/courses`, { token });
  }

  private async rename(): Promise<void> {
    await this.call('PATCH', `/api/book-infos/${any(this.titles)}`, {
      token: this.options.admin,
      body: { author: `Author ${randomInt(NAMES)}` },
    });
    await this.call('POST', `/courses/${any(this.courses)}/videos`, {
      token: this.lecturer,
      body: { title: 'Soak', url: 'https://video.example/soak' },
    });
  }

  private async logIn(): Promise<void> {
    const username = `soak-${randomInt(NAMES)}`;
    const { body } = await this.call('POST', '/api/auth/login', {
      body: { username, password: randomInt(10) === 0 ? 'wrong' : PASSWORD },
    });
    if (typeof body['accessToken'] === 'string')
      await this.call('GET', '/api/borrow-histories', { token: body['accessToken'] });
  }

  private async look(): Promise<void> {
    const { token } = any(this.readers);
    for (const path of [
      '/api/book-infos?q=soak',
      '/api/book-infos/popular',
      '/api/borrow-histories',
      '/api/holds?me=true',
      '/posts',
      '/tags',
      '/courses',
      '/readyz',
      '/metrics',
    ])
      await this.call('GET', path, { token });
  }

  private tokenOf(id: number): string {
    return this.readers.find((reader) => reader.id === id)?.token ?? '';
  }
}
