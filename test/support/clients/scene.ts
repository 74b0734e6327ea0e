import { Library, succeeded, uniqueWord } from './books';
import { Campus } from './courses';
import { Board } from './posts';
import type { Reader } from './requests';
import type { Target } from '../service/target';

/**
 * Everybody who may call: who owns things here, somebody else, the lecturer of courses, another
 * one, an administrator.
 */
export const CALLERS = ['nobody', 'user', 'other', 'lecturer', 'otherLecturer', 'admin'] as const;
export type CallerName = (typeof CALLERS)[number];

/** Most webhooks of a scene: a service takes fifty, of all tests together. */
const OWN_WEBHOOKS_MAX = 5;

/**
 * Things of all services, each made anew when it is asked for; they belong to `user`, and courses
 * to `lecturer`.
 */
export class Scene {
  readonly word = uniqueWord;
  readonly password = 'correct horse battery';
  /** No test causes an event of its type, so that nothing is ever sent. */
  readonly webhookBody = {
    url: `https://hook.example/${uniqueWord()}`,
    types: ['lending.borrow.overdue'],
  };
  readonly user: Reader;
  readonly lecturer: Reader;
  private readonly library: Library;
  private readonly board: Board;
  private readonly campus: Campus;
  private readonly tokens: Readonly<Record<Exclude<CallerName, 'nobody'>, string>>;

  constructor(target: Target) {
    this.library = new Library(target);
    this.board = new Board(target);
    this.campus = new Campus(target);
    this.user = this.campus.newReader();
    this.lecturer = this.campus.newLecturer();
    this.tokens = {
      user: this.user.token,
      other: this.campus.newReader().token,
      lecturer: this.lecturer.token,
      otherLecturer: this.campus.newLecturer().token,
      admin: target.admin,
    };
  }

  /** Makes the rows of the users, who are known by their tokens alone. */
  async open(): Promise<void> {
    for (const token of Object.values(this.tokens))
      succeeded(await this.campus.call('get', '/api/borrow-histories?me=true', { token }), 200);
  }

  /** Signs somebody up, and gives the token. */
  async newAccount(): Promise<string> {
    return (await this.signUp()).accessToken;
  }

  async newAccountId(): Promise<number> {
    return (await this.signUp()).userId;
  }

  /** Returns the token of somebody new. */
  newToken(): string {
    return this.campus.newReader().token;
  }

  tokenOf(caller: CallerName): string | undefined {
    return caller === 'nobody' ? undefined : this.tokens[caller];
  }

  async title(copies = 1): Promise<number> {
    return (await this.library.registered({ copies })).bookInfoId;
  }

  async copy(): Promise<{ bookInfoId: number; bookId: number }> {
    return this.library.single();
  }

  /** Returns the barcode of a new copy. */
  async barcode(): Promise<string> {
    const barcode = uniqueWord();
    const path = `/api/book-infos/${await this.title()}/books`;
    succeeded(await this.library.manage('post', path, { barcodes: [barcode] }), 201);
    return barcode;
  }

  async borrow(): Promise<number> {
    return (await this.library.borrowed(this.user, { bookInfoId: await this.title() })).borrowId;
  }

  async hold(): Promise<number> {
    return succeeded(await this.library.placeHold(this.user, await this.title(0)), 201).holdId;
  }

  draft(): Record<string, unknown> {
    return this.board.draft({ userId: this.user.userId });
  }

  async post(fields: object = {}): Promise<number> {
    return (await this.board.posted({ userId: this.user.userId, ...fields })).postId;
  }

  /** Two tags that are used. */
  async tags(): Promise<[string, string]> {
    const tags: [string, string] = [uniqueWord(), uniqueWord()];
    await this.post({ tags });
    return tags;
  }

  async course(): Promise<number> {
    return (await this.campus.registered({}, this.lecturer)).courseId;
  }

  /** Returns a course that the caller takes. */
  async takenCourse(caller: Exclude<CallerName, 'nobody'> = 'user'): Promise<number> {
    const courseId = await this.course();
    succeeded(
      await this.campus.call('post', `/courses/${courseId}/subscriptions`, {
        token: this.tokens[caller],
      }),
      201,
    );
    return courseId;
  }

  /** Returns a notice of `user`, who has completed a course. */
  async notice(): Promise<number> {
    await this.campus.completed(this.user, await this.takenCourse());
    const { token } = this.user;
    const { body } = await this.campus.call('get', '/api/notices?size=1', { token });
    return (body as { items: [{ noticeId: number }] }).items[0].noticeId;
  }

  async webhook(): Promise<{ webhookId: number }> {
    await this.roomForWebhook();
    const post = { token: this.tokens.admin, body: this.webhookBody };
    const { webhookId } = succeeded(await this.library.call('post', '/api/webhooks', post), 201);
    return { webhookId: webhookId as number };
  }

  /** Deletes the webhooks of this scene when there are many: there may be only so many. */
  async roomForWebhook(): Promise<void> {
    const { body } = await this.library.manage('get', '/api/webhooks?size=100');
    const { items } = body as { items: { webhookId: number; url: string }[] };
    const own = items.filter(({ url }) => url === this.webhookBody.url);
    if (own.length < OWN_WEBHOOKS_MAX) return;
    for (const { webhookId } of own)
      await this.library.manage('delete', `/api/webhooks/${webhookId}`);
  }

  /** Returns a video of a course. */
  async video(): Promise<{ courseId: number; videoId: number }> {
    return this.campus.addedVideo(await this.course());
  }

  /** Returns a video of a course that `user` takes. */
  async takenVideo(): Promise<{ userId: number; courseId: number; videoId: number }> {
    const { userId } = this.user;
    const { courseId, videoId } = await this.campus.addedVideo(await this.takenCourse());
    return { userId, courseId, videoId };
  }

  /** Returns a full course, for which the caller waits. */
  async fullCourse(caller?: Exclude<CallerName, 'nobody'>): Promise<number> {
    const { courseId } = await this.campus.registered({ capacity: 1 }, this.lecturer);
    await this.campus.subscribed(this.campus.newReader(), courseId);
    if (caller)
      succeeded(
        await this.campus.call('post', `/courses/${courseId}/waitlist`, {
          token: this.tokens[caller],
        }),
        201,
      );
    return courseId;
  }

  /** Returns a password reset of somebody new. */
  async resetToken(): Promise<string> {
    const path = `/api/users/${await this.newAccountId()}/password-resets`;
    return (
      succeeded(await this.library.call('post', path, { token: this.tokens.admin }), 201) as {
        resetToken: string;
      }
    ).resetToken;
  }

  /** Signs somebody up. */
  async signUp(): Promise<{ userId: number; accessToken: string }> {
    const body = { username: uniqueWord(), password: this.password };
    return succeeded(await this.library.call('post', '/api/auth/signup', { body }), 201) as {
      userId: number;
      accessToken: string;
    };
  }

  /** Returns a command that `user` has sent. */
  async command(): Promise<string> {
    const { body } = await this.library.call('post', '/api/borrows', {
      token: this.user.token,
      body: { bookInfoId: await this.title() },
      headers: { Prefer: 'respond-async' },
    });
    const { commandId } = body as { commandId: string };
    succeeded(
      await this.library.call('get', `/api/commands/${commandId}?wait=30`, {
        token: this.user.token,
      }),
      200,
    );
    return commandId;
  }
}
