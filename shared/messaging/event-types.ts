/**
 * Every type of domain event, `<service>.<thing>.<past tense>`. Clients name them to choose among
 * events: never rename one.
 */
export const EVENT_TYPES = [
  'lending.book-info.created',
  'lending.book-info.updated',
  'lending.book-info.deleted',
  'lending.copies.added',
  'lending.copies.changed',
  'lending.borrow.created',
  'lending.borrow.renewed',
  'lending.borrow.returned',
  'lending.borrow.lost',
  'lending.hold.placed',
  'lending.hold.ready',
  'lending.hold.requeued',
  'lending.hold.fulfilled',
  'lending.hold.expired',
  'lending.hold.cancelled',
  'posts.post.created',
  'posts.post.updated',
  'posts.post.deleted',
  'posts.tag.merged',
  'courses.course.created',
  'courses.video.added',
  'courses.subscription.created',
  'courses.subscription.cancelled',
  'courses.subscription.completed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** What follows the name of a service, or of one of its things, in the types of its events. */
export type EventOf<Name extends string> = EventType extends infer Type
  ? Type extends `${Name}.${infer Rest}`
    ? Rest
    : never
  : never;
