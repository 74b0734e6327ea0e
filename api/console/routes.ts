import type { Endpoint } from '../http/endpoint';
import { commandSearchEndpoint, type CommandSearchOptions } from './command-routes';
import { deadLetterEndpoints, type DeadLetterOptions } from './dead-letter-routes';
import {
  consoleHistoryEndpoint,
  consoleStreamEndpoint,
  type ConsoleStreams,
} from './stream-routes';
import { workerEndpoints } from './worker-routes';

export interface ConsoleOptions extends DeadLetterOptions, CommandSearchOptions {
  readonly streams: ConsoleStreams;
}

/** Returns the endpoints of the console, which are for administrators only. */
export function consoleEndpoints(options: ConsoleOptions): Endpoint[] {
  return [
    consoleStreamEndpoint(options.streams),
    consoleHistoryEndpoint(options.streams),
    commandSearchEndpoint(options),
    ...deadLetterEndpoints(options),
    ...workerEndpoints,
  ];
}
