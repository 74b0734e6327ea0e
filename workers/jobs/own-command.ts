import { randomBytes } from 'node:crypto';
import { idTime, type Actor, type Envelope } from '../../shared/command';
import { NO_ADDRESS, type DueCommand } from '../batch/service/decision';

const NOBODY: Actor = { userId: null, username: null, role: 'user', isAdmin: true };

/**
 * Makes a command that the workers send themselves, and that no client waits for. `why` begins its
 * request id. `now`: milliseconds since 1970.
 */
export function ownCommand(command: DueCommand, why: string, now: number): Envelope {
  const commandId = idTime(now) + randomBytes(14).toString('hex');
  return {
    ...command,
    commandId,
    actor: NOBODY,
    requestId: `${why}-${commandId}`,
    createdAt: now,
    replyTo: NO_ADDRESS,
    replyBy: 0,
    traceparent: null,
  };
}
