import type { Endpoint } from '../http/endpoint';
import { consoleStreamEndpoint, type ConsoleStreams } from './stream-routes';

export interface ConsoleOptions {
  readonly streams: ConsoleStreams;
}

/** What the console asks for. All of it is for administrators. */
export function consoleEndpoints({ streams }: ConsoleOptions): Endpoint[] {
  return [consoleStreamEndpoint(streams)];
}
