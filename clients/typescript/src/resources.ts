import type { Caller } from './caller.ts';
import type { CallOptions } from './requests.ts';
import type { BodyOf, Operation, ProblemOf, QueryOf, Result, Schemas } from './types.ts';

/** The operations, grouped by resource. `request` calls every other one. */

/** Signing up, in and out. */
export const accounts = (client: Caller) => ({
  signUp: (body: BodyOf<'POST', '/api/auth/signup'>, options?: CallOptions) =>
    client.request('POST', '/api/auth/signup', { ...options, body }),
  logIn: (body: BodyOf<'POST', '/api/auth/login'>, options?: CallOptions) =>
    client.request('POST', '/api/auth/login', { ...options, body }),
  logOut: (options?: CallOptions) => client.request('POST', '/api/auth/logout', options),
});

/** Accounts of people. */
export const users = (client: Caller) => ({
  list: (query: QueryOf<'GET', '/api/users'> = {}, options?: CallOptions) =>
    client.items('/api/users', { ...options, query }),
  me: (options?: CallOptions) => client.request('GET', '/api/users/me', options),
  get: (userId: number, options?: CallOptions) =>
    client.request('GET', '/users/{userId}', { ...options, path: { userId } }),
  create: (body: BodyOf<'POST', '/api/users'>, options?: CallOptions) =>
    client.request('POST', '/api/users', { ...options, body }),
  update: (userId: number, body: BodyOf<'PATCH', '/api/users/{userId}'>, options?: CallOptions) =>
    client.request('PATCH', '/api/users/{userId}', { ...options, path: { userId }, body }),
  erase: (userId: number, options?: CallOptions) =>
    client.request('DELETE', '/api/users/{userId}', { ...options, path: { userId } }),
});

/** Titles of the catalogue. */
export const books = (client: Caller) => ({
  list: (query: QueryOf<'GET', '/api/book-infos'> = {}, options?: CallOptions) =>
    client.items('/api/book-infos', { ...options, query }),
  popular: (query: QueryOf<'GET', '/api/book-infos/popular'> = {}, options?: CallOptions) =>
    client.request('GET', '/api/book-infos/popular', { ...options, query }),
  get: (bookInfoId: number, options?: CallOptions) =>
    client.request('GET', '/api/book-infos/{bookInfoId}', { ...options, path: { bookInfoId } }),
  /** Registers a title. When its ISBN exists, the copies are added to that title. */
  create: (body: BodyOf<'POST', '/api/book-infos'>, options?: CallOptions) =>
    client.request('POST', '/api/book-infos', { ...options, body }),
  /** Each item gets what `create` would have got. */
  createMany: (body: BodyOf<'POST', '/api/book-infos/bulk'>, options?: CallOptions) =>
    client.request('POST', '/api/book-infos/bulk', { ...options, body }),
  update: (
    bookInfoId: number,
    body: BodyOf<'PATCH', '/api/book-infos/{bookInfoId}'>,
    options?: CallOptions,
  ) =>
    client.request('PATCH', '/api/book-infos/{bookInfoId}', {
      ...options,
      path: { bookInfoId },
      body,
    }),
  delete: (bookInfoId: number, options?: CallOptions) =>
    client.request('DELETE', '/api/book-infos/{bookInfoId}', { ...options, path: { bookInfoId } }),
});

/** Copies of a title. */
export const copies = (client: Caller) => ({
  list: (
    bookInfoId: number,
    query: QueryOf<'GET', '/api/book-infos/{bookInfoId}/books'> = {},
    options?: CallOptions,
  ) =>
    client.items('/api/book-infos/{bookInfoId}/books', { ...options, path: { bookInfoId }, query }),
  /** The copy with a barcode. */
  find: (barcode: string, options?: CallOptions) =>
    client.request('GET', '/api/books/{barcode}', { ...options, path: { barcode } }),
  add: (
    bookInfoId: number,
    body: BodyOf<'POST', '/api/book-infos/{bookInfoId}/books'>,
    options?: CallOptions,
  ) =>
    client.request('POST', '/api/book-infos/{bookInfoId}/books', {
      ...options,
      path: { bookInfoId },
      body,
    }),
  update: (
    path: { bookInfoId: number; bookId: number },
    body: BodyOf<'PATCH', '/api/book-infos/{bookInfoId}/books/{bookId}'>,
    options?: CallOptions,
  ) =>
    client.request('PATCH', '/api/book-infos/{bookInfoId}/books/{bookId}', {
      ...options,
      path,
      body,
    }),
  delete: (path: { bookInfoId: number; bookId: number }, options?: CallOptions) =>
    client.request('DELETE', '/api/book-infos/{bookInfoId}/books/{bookId}', { ...options, path }),
});

/** What a borrow comes to, by what was asked. */
type Borrowing<Value> = Promise<Result<Value, ProblemOf<Operation<'POST', '/api/borrows'>>>>;

/** Borrows, and what stands in the way of one. */
export const borrows = (client: Caller) => ({
  list: (query: QueryOf<'GET', '/api/borrow-histories'> = {}, options?: CallOptions) =>
    client.items('/api/borrow-histories', { ...options, query }),
  get: (borrowId: number, options?: CallOptions) =>
    client.request('GET', '/api/borrows/{borrowId}', { ...options, path: { borrowId } }),
  create: (body: BodyOf<'POST', '/api/borrows'>, options?: CallOptions) =>
    client.request('POST', '/api/borrows', { ...options, body }) as Borrowing<Schemas['Borrow']>,
  /** Reports what would refuse `create`, and changes nothing. */
  check: (body: BodyOf<'POST', '/api/borrows'>, options?: CallOptions) =>
    client.request('POST', '/api/borrows', {
      ...options,
      query: { dryRun: true },
      body,
    }) as Borrowing<Schemas['BorrowCheck']>,
  /** Each item gets what `create` would have got. */
  createMany: (body: BodyOf<'POST', '/api/borrows/bulk'>, options?: CallOptions) =>
    client.request('POST', '/api/borrows/bulk', { ...options, body }),
  renew: (borrowId: number, options?: CallOptions) =>
    client.request('POST', '/api/borrows/{borrowId}/renewals', { ...options, path: { borrowId } }),
});

/** Giving back. */
export const returns = (client: Caller) => ({
  create: (body: BodyOf<'POST', '/api/returns'>, options?: CallOptions) =>
    client.request('POST', '/api/returns', { ...options, body }),
  /** Each item gets what `create` would have got. */
  createMany: (body: BodyOf<'POST', '/api/returns/bulk'>, options?: CallOptions) =>
    client.request('POST', '/api/returns/bulk', { ...options, body }),
});

/** Waiting for a title. */
export const holds = (client: Caller) => ({
  list: (query: QueryOf<'GET', '/api/holds'> = {}, options?: CallOptions) =>
    client.items('/api/holds', { ...options, query }),
  get: (holdId: number, options?: CallOptions) =>
    client.request('GET', '/api/holds/{holdId}', { ...options, path: { holdId } }),
  create: (bookInfoId: number, options?: CallOptions) =>
    client.request('POST', '/api/book-infos/{bookInfoId}/holds', {
      ...options,
      path: { bookInfoId },
    }),
  cancel: (holdId: number, options?: CallOptions) =>
    client.request('DELETE', '/api/holds/{holdId}', { ...options, path: { holdId } }),
});

/** Posts with their tags. */
export const posts = (client: Caller) => ({
  list: (query: QueryOf<'GET', '/posts'> = {}, options?: CallOptions) =>
    client.items('/posts', { ...options, query }),
  /** Posts with all of the tags, or with any: `match: 'any'`. */
  tagged: (query: QueryOf<'GET', '/posts/tags'>, options?: CallOptions) =>
    client.items('/posts/tags', { ...options, query }),
  get: (postId: number, options?: CallOptions) =>
    client.request('GET', '/posts/{postId}', { ...options, path: { postId } }),
  create: (body: BodyOf<'POST', '/posts'>, options?: CallOptions) =>
    client.request('POST', '/posts', { ...options, body }),
  update: (postId: number, body: BodyOf<'PATCH', '/posts/{postId}'>, options?: CallOptions) =>
    client.request('PATCH', '/posts/{postId}', { ...options, path: { postId }, body }),
  delete: (postId: number, options?: CallOptions) =>
    client.request('DELETE', '/posts/{postId}', { ...options, path: { postId } }),
});

/** Tags of posts. */
export const tags = (client: Caller) => ({
  list: (query: QueryOf<'GET', '/tags'> = {}, options?: CallOptions) =>
    client.items('/tags', { ...options, query }),
  get: (name: string, options?: CallOptions) =>
    client.request('GET', '/tags/{name}', { ...options, path: { name } }),
  rename: (name: string, body: BodyOf<'PATCH', '/tags/{name}'>, options?: CallOptions) =>
    client.request('PATCH', '/tags/{name}', { ...options, path: { name }, body }),
  delete: (name: string, options?: CallOptions) =>
    client.request('DELETE', '/tags/{name}', { ...options, path: { name } }),
  merge: (name: string, body: BodyOf<'POST', '/tags/{name}/merge'>, options?: CallOptions) =>
    client.request('POST', '/tags/{name}/merge', { ...options, path: { name }, body }),
});

/** Courses. */
export const courses = (client: Caller) => ({
  list: (query: QueryOf<'GET', '/courses'> = {}, options?: CallOptions) =>
    client.items('/courses', { ...options, query }),
  get: (courseId: number, options?: CallOptions) =>
    client.request('GET', '/courses/{courseId}', { ...options, path: { courseId } }),
  create: (body: BodyOf<'POST', '/courses'>, options?: CallOptions) =>
    client.request('POST', '/courses', { ...options, body }),
  update: (courseId: number, body: BodyOf<'PATCH', '/courses/{courseId}'>, options?: CallOptions) =>
    client.request('PATCH', '/courses/{courseId}', { ...options, path: { courseId }, body }),
  delete: (courseId: number, options?: CallOptions) =>
    client.request('DELETE', '/courses/{courseId}', { ...options, path: { courseId } }),
});

/** The syllabus of a course. */
export const videos = (client: Caller) => ({
  list: (
    courseId: number,
    query: QueryOf<'GET', '/courses/{courseId}/videos'> = {},
    options?: CallOptions,
  ) => client.items('/courses/{courseId}/videos', { ...options, path: { courseId }, query }),
  get: (path: { courseId: number; videoId: number }, options?: CallOptions) =>
    client.request('GET', '/courses/{courseId}/videos/{videoId}', { ...options, path }),
  add: (
    courseId: number,
    body: BodyOf<'POST', '/courses/{courseId}/videos'>,
    options?: CallOptions,
  ) =>
    client.request('POST', '/courses/{courseId}/videos', { ...options, path: { courseId }, body }),
});

/** Taking courses. */
export const subscriptions = (client: Caller) => ({
  /** The courses that a user takes. */
  list: (
    userId: number,
    query: QueryOf<'GET', '/users/{userId}/courses'> = {},
    options?: CallOptions,
  ) => client.items('/users/{userId}/courses', { ...options, path: { userId }, query }),
  get: (path: { userId: number; courseId: number }, options?: CallOptions) =>
    client.request('GET', '/users/{userId}/courses/{courseId}/subscriptions', { ...options, path }),
  create: (courseId: number, options?: CallOptions) =>
    client.request('POST', '/courses/{courseId}/subscriptions', { ...options, path: { courseId } }),
  cancel: (courseId: number, options?: CallOptions) =>
    client.request('DELETE', '/courses/{courseId}/subscriptions', {
      ...options,
      path: { courseId },
    }),
  complete: (path: { userId: number; courseId: number }, options?: CallOptions) =>
    client.request('PATCH', '/users/{userId}/courses/{courseId}/status', { ...options, path }),
});

/** The notices of readers about their holds, borrows and courses. */
export const notices = (client: Caller) => ({
  list: (query: QueryOf<'GET', '/api/notices'> = {}, options?: CallOptions) =>
    client.items('/api/notices', { ...options, query }),
  read: (noticeId: number, options?: CallOptions) =>
    client.request('POST', '/api/notices/{noticeId}/read', { ...options, path: { noticeId } }),
  readAll: (options?: CallOptions) => client.request('POST', '/api/notices/read-all', options),
});
