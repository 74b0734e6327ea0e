import type { ConsoleSample } from '../../../api/console/sample';
import { openStream, type OpenStream } from './event-stream';
import { waitUntil } from '../wait';

/** How long it may take until the console shows something, milliseconds. */
const SHOWN_MS = 60_000;

/** The stream of a console, as it arrives. */
export class ConsoleStream {
  private constructor(private readonly stream: OpenStream) {}

  static async open(url: string, token: string): Promise<ConsoleStream> {
    return new ConsoleStream(await openStream(`${url}/api/console/stream`, token));
  }

  get ended(): boolean {
    return this.stream.ended();
  }

  samples(): ConsoleSample[] {
    return this.stream.events().map(({ data }) => JSON.parse(data) as ConsoleSample);
  }

  /** Returns the first sample from now on, or from `since` on, of which that is true. */
  async until(
    what: string,
    holds: (sample: ConsoleSample) => boolean,
    since = this.samples().length,
  ): Promise<ConsoleSample> {
    return waitUntil(what, SHOWN_MS, () => this.samples().slice(since).find(holds));
  }

  close(): void {
    this.stream.close();
  }
}
