import type { Endpoint } from '../http/endpoint';
import { commandSearchEndpoint, type CommandSearchOptions } from './command-routes';
import { letterEndpoints, type LetterOptions } from './letter-routes';
import { consoleStreamEndpoint, type ConsoleStreams } from './stream-routes';

export interface ConsoleOptions extends LetterOptions, CommandSearchOptions {
  readonly streams: ConsoleStreams;
}

/** What the console asks for. All of it is for administrators. */
export function consoleEndpoints(options: ConsoleOptions): Endpoint[] {
  return [
    consoleStreamEndpoint(options.streams),
    commandSearchEndpoint(options),
    ...letterEndpoints(options),
  ];
}
