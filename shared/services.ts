import { coursesPayloads } from './courses/commands';
import { coursesEvents } from './courses/events';
import { identityPayloads } from './identity/commands';
import { lendingPayloads } from './lending/payloads';
import { lendingEvents } from './lending/events';
import { postsPayloads } from './posts/commands';
import { postsEvents } from './posts/events';
import { servicesOf, type Service } from './service';

/** The services, one line each. */
export const serviceList = {
  identity: { payloads: identityPayloads },
  lending: { payloads: lendingPayloads, events: lendingEvents },
  posts: { payloads: postsPayloads, events: postsEvents },
  courses: { payloads: coursesPayloads, events: coursesEvents },
} satisfies Record<string, Service>;

export type ServiceName = keyof typeof serviceList;

export const services = servicesOf(serviceList);
