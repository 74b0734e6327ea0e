import type { Now } from '../../shared/database/clock';
import type { WorkerLink } from '../../shared/messaging/transport';
import type { DueCommand, WorkerService } from '../batch/service/decision';
import type { LeaderJob } from './leader-jobs';
import { ownCommand } from './own-command';

/**
 * Sends the commands of the clock.
 * The database tells what is due, so a restart forgets nothing. Each command is decided in its
 * partition, in order with all others. A sent command is not sent again for a while, and a second
 * copy finds that nothing is due.
 */

/** How often it looks for due commands, milliseconds. */
const EVERY_MS = 1000;
/** Most commands of one kind at a time. */
const DUE_MAX = 500;
/** After this many milliseconds, a command without an effect is published again. */
const AGAIN_MS = 30_000;

export function dueCommands(
  services: readonly WorkerService[],
  link: Pick<WorkerLink, 'forward'>,
  clock: Now,
): LeaderJob {
  /** Published commands, and until when they are not published again, milliseconds since 1970. */
  const published = new Map<string, number>();

  async function publish(command: DueCommand, now: number): Promise<void> {
    await link.forward(ownCommand(command, 'due', now));
    published.set(nameOf(command), now + AGAIN_MS);
  }

  return {
    name: 'due-commands',
    everyMs: EVERY_MS,
    async run() {
      const now = clock().getTime();
      for (const [command, until] of published) if (until <= now) published.delete(command);
      let more = false;
      for (const find of services.flatMap(({ due = [] }) => due)) {
        const due = await find(new Date(now), DUE_MAX);
        const fresh = due.filter((command) => !published.has(nameOf(command)));
        await Promise.all(fresh.map((command) => publish(command, now)));
        more ||= due.length === DUE_MAX && fresh.length > 0;
      }
      return more;
    },
  };
}

const nameOf = ({ type, payload }: DueCommand): string => `${type} ${JSON.stringify(payload)}`;
