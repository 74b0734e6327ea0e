import type { Sequelize } from 'sequelize-typescript';
import type { Cache } from '../shared/cache/cache';
import type { Now } from '../shared/database/clock';
import type { Exposure } from '../shared/exposure';
import type { Logger } from '../shared/logger';
import type { Services } from '../shared/service';
import type { AuditTrail } from './audit/trail';
import type { ApiConfig } from './config';
import type { OldReads } from './database/replica';
import type { EventStreams } from './events/streams';
import type { ExportPart } from './export/part';
import type { CountsOptions } from './http/security/counts';
import type { Endpoint } from './http/endpoint';
import type { JsonSchema } from './openapi/schema';

/** What the endpoints of a service are made with. */
export interface ServiceParts {
  readonly config: ApiConfig;
  readonly exposure: Exposure;
  readonly database: Sequelize;
  /** For the reads that may be old. */
  readonly oldReads: OldReads;
  readonly cache: Cache;
  readonly now: Now;
  readonly trail: AuditTrail;
  readonly counting: CountsOptions;
  readonly logger: Logger;
  /** Streams of events, beside those of administrators. */
  readonly streams: EventStreams;
}

/** What an API serves. */
export interface ApiServices {
  readonly services: Services;
  readonly apiServices: readonly ApiService[];
}

/** A service as the API serves it. `Type`: of its commands. */
export interface ApiService<Type extends string = string> {
  readonly endpoints: (parts: ServiceParts) => readonly Endpoint[];
  /** The schema of the stored result of each command; null for none. */
  readonly results: Readonly<Record<Type, JsonSchema | null>>;
  /** The schema of the data of each type of its events. */
  readonly events?: Readonly<Record<string, JsonSchema>>;
  /** Returns the data that the service has about a person. */
  readonly exportParts?: (now: Now) => readonly ExportPart[];
}

/** Joins what all services declare. */
export function together(services: readonly ApiService[]) {
  const merged = <Value>(
    of: (service: ApiService) => Readonly<Record<string, Value>> | undefined,
  ) => Object.fromEntries(services.flatMap((service) => Object.entries(of(service) ?? {})));
  const results = Object.values(merged(({ results }) => results));
  return {
    results: [...new Set(results.filter((schema) => schema !== null))],
    events: merged(({ events }) => events),
  };
}
