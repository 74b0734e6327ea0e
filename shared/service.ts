import type { ObjectSchema } from 'joi';
import type { Migration } from './database/migrate';
import { commandDecoder, type DecodedMessage } from './messaging/envelope';

/** What the API and the workers must agree on about one service. */
export interface Service {
  /** The payload rules of its commands, by the command's type. */
  readonly payloads: Readonly<Record<string, ObjectSchema>>;
  /** The types of its domain events, `<service>.<thing>.<past tense>`. */
  readonly events?: Readonly<Record<string, true>>;
  /** Migrations of its tables, oldest first, unless shared/database/migrate.ts has them. */
  readonly migrations?: readonly Migration[];
}

/** The services of a program, as the pipeline knows them. */
export interface Services {
  /**
   * Their names. Each has its own queues, and the types of its commands and events begin with its
   * name.
   */
  readonly names: readonly string[];
  readonly commandTypes: readonly string[];
  readonly eventTypes: readonly string[];
  /** They run after those of shared/database/migrate.ts. */
  readonly migrations: readonly Migration[];
  /** Reads a command out of a queue. Never throws. */
  readonly decode: (content: string) => DecodedMessage;
}

export function servicesOf(services: Readonly<Record<string, Service>>): Services {
  const all = Object.values(services);
  const payloads = Object.assign(
    {},
    ...all.map((service) => service.payloads),
  ) as Service['payloads'];
  return {
    names: Object.keys(services),
    commandTypes: Object.keys(payloads),
    eventTypes: all.flatMap(({ events = {} }) => Object.keys(events)),
    migrations: all.flatMap(({ migrations = [] }) => migrations),
    decode: commandDecoder(payloads),
  };
}
