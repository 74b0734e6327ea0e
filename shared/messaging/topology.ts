import { hash } from 'node:crypto';
import type { Envelope } from '../command';

/**
 * Names and arguments of everything declared at the broker, and the one function that assigns a
 * command to a partition. Both transports use the same partition names, so logs and tables read
 * alike.
 */

/** Most commands that wait in one partition. The broker refuses further ones. */
const PARTITION_LENGTH_MAX = 100_000;
/**
 * Deliveries after which the broker dead-letters by itself: a last resort that the worker's own
 * isolation never reaches.
 */
const DELIVERY_LIMIT = 100;
/**
 * Most domain events that wait for one API instance. Beyond that its streams end, because they have
 * missed some.
 */
const EVENTS_LENGTH_MAX = 10_000;
/**
 * Most replies that wait for one API instance. The oldest are dropped, because a reply is only a
 * hint.
 */
const REPLIES_LENGTH_MAX = 100_000;

/**
 * Durable topic exchange on which every change is published, with its event type as routing key.
 */
export const EVENTS_EXCHANGE = 'domain-events';

/** Direct exchange that every partition queue is bound to, with its name as routing key. */
export const PARTITIONS_EXCHANGE = 'partitions';

/**
 * How commands are spread over queues. Changing the number of partitions makes a new generation:
 * see `shared/database/layouts.ts`.
 */
export interface Layout {
  readonly generation: number;
  /** Partitions of each service. */
  readonly partitions: number;
}

/**
 * Returns the exchange on which commands of a generation are published. It is a fanout exchange
 * with one binding, to the partitions. Removing that binding closes all queues of the generation in
 * one step: later commands are returned to their sender.
 */
export function commandsExchange(generation: number): string {
  return `commands.${generation}`;
}

/**
 * Returns the queue of one partition: `lending.commands.07`, in later generations
 * `lending.commands.g2.07`.
 */
export function partitionName(service: string, partition: number, generation = 1): string {
  return `${service}.commands.${generation === 1 ? '' : `g${generation}.`}${String(partition).padStart(2, '0')}`;
}

/** Returns the generation in the name of a partition. */
export function generationOf(partition: string): number {
  return Number(/\.g(\d+)\./.exec(partition)?.[1] ?? 1);
}

/** Returns all partitions of the given services, in order. */
export function partitionNames(
  services: readonly string[],
  { partitions, generation }: Layout,
): string[] {
  return services.flatMap((service) =>
    Array.from({ length: partitions }, (_, index) => partitionName(service, index, generation)),
  );
}

/** Returns the partition that a command goes to. */
export function partitionFor(
  { type, key }: Pick<Envelope, 'type' | 'key'>,
  { partitions, generation }: Layout,
): string {
  return partitionName(serviceOf(type), partitionOf(key, partitions), generation);
}

/**
 * Returns the service that a partition or a command type belongs to: the part before the first dot.
 */
export function serviceOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

export function deadLetterQueue(service: string): string {
  return `${service}.commands.dead`;
}

/** Returns the queue for the replies to one API instance. */
export function replyQueue(instance: string): string {
  return `replies.${instance}`;
}

/**
 * Returns the queue for the domain events of one API instance's streams. `opening` counts how often
 * it began to listen.
 */
export function eventQueue(instance: string, opening: number): string {
  return `events.${instance}.${opening}`;
}

/**
 * Returns the partition of an aggregate key, 0 to `partitions - 1`. The hash is computed here: the
 * broker's consistent-hash ring is rebuilt at each start and may place a key elsewhere.
 */
export function partitionOf(key: string, partitions: number): number {
  return hash('sha1', key, 'buffer').readUInt32BE(0) % partitions;
}

/**
 * Returns the arguments of a partition queue. The delivery limit is explicit, because without one a
 * requeued message goes to the back of a quorum queue, behind later commands of its aggregate.
 */
export function partitionArguments(service: string): Record<string, unknown> {
  return {
    'x-queue-type': 'quorum',
    'x-single-active-consumer': true,
    'x-delivery-limit': DELIVERY_LIMIT,
    'x-overflow': 'reject-publish',
    'x-max-length': PARTITION_LENGTH_MAX,
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': deadLetterQueue(service),
    'x-dead-letter-strategy': 'at-least-once',
  };
}

export const DEAD_LETTER_ARGUMENTS = {
  'x-queue-type': 'quorum',
  'x-overflow': 'reject-publish',
} as const;

export const REPLY_ARGUMENTS = {
  'x-max-length': REPLIES_LENGTH_MAX,
  'x-overflow': 'drop-head',
} as const;

/**
 * Returns the arguments of an event queue. When it is full, its oldest events go to `overflow`. The
 * first of them tells the API that events are missing.
 */
export function eventQueueArguments(overflow: string): Record<string, unknown> {
  return {
    'x-max-length': EVENTS_LENGTH_MAX,
    'x-overflow': 'drop-head',
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': overflow,
  };
}

export const EVENT_OVERFLOW_ARGUMENTS = { 'x-max-length': 1 } as const;
