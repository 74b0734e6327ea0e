import type { ObjectSchema } from 'joi';
import { coursesPayloads, type CoursesCommand } from './courses/commands';
import { coursesEvents } from './courses/events';
import { identityPayloads, type IdentityCommand } from './identity/commands';
import { lendingPayloads, type LendingCommand } from './lending/commands';
import { lendingEvents } from './lending/events';
import { postsPayloads, type PostsCommand } from './posts/commands';
import { postsEvents } from './posts/events';

/** The services, one line each: the payload rules of every command a service understands. */
export const services = {
  identity: identityPayloads,
  lending: lendingPayloads,
  posts: postsPayloads,
  courses: coursesPayloads,
} satisfies Record<string, Record<string, ObjectSchema>>;

export type ServiceName = keyof typeof services;
export type Command = IdentityCommand | LendingCommand | PostsCommand | CoursesCommand;
export type CommandType = Command['type'];

/** Every type of domain event, `<service>.<thing>.<past tense>`. */
export const eventTypes: readonly string[] = [lendingEvents, postsEvents, coursesEvents].flatMap(
  (types) => Object.keys(types),
);

export const serviceNames = Object.keys(services) as ServiceName[];

/** The payload of one command type. */
export type PayloadOf<Type extends CommandType> = Extract<Command, { type: Type }>['payload'];
