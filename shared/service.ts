import type { ObjectSchema } from 'joi';
import type { Migration } from './database/migrate';
import { commandDecoder, type DecodedMessage } from './messaging/envelope';

/** What API and workers must agree on about one service. */
export interface Service {
  /** The payload rules of every command that it understands, by the command's type. */
  readonly payloads: Readonly<Record<string, ObjectSchema>>;
  /** Every type of domain event that it tells, `<service>.<thing>.<past tense>`. */
  readonly events?: Readonly<Record<string, true>>;
  /** What makes its tables, oldest first, where shared/database/migrate.ts does not. */
  readonly migrations?: readonly Migration[];
}

/** The services of a program, as the pipeline knows them. */
export interface Services {
  /** Each has queues of its own. The types of its commands and events begin with its name. */
  readonly names: readonly string[];
  readonly commandTypes: readonly string[];
  readonly eventTypes: readonly string[];
  /** They run after those of shared/database/migrate.ts. */
  readonly migrations: readonly Migration[];
  /** Reads a command as it came out of a queue; never throws. */
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
