import type { LoggerService } from '@nestjs/common';

/**
 * Keeps why the broker could not be connected to. The connection tells its logger alone; its own
 * error says only how long it tried.
 */
export class BrokerFault implements LoggerService {
  /** Null before the first failure. */
  last: string | null = null;

  error(_message: string, stack = ''): void {
    this.last = /^(?:Error: )?(.*)/.exec(stack)?.[1] ?? null;
  }

  log(): void {
    // The worker logs its own connections.
  }

  warn(): void {
    // As `log`.
  }
}
