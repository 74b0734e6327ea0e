import type { AuditTrail, TrailAction } from '../audit/trail';
import { createAuditLog } from '../../shared/audit/log';
import type { Now } from '../../shared/database/clock';
import { userKey } from '../../shared/identity/commands';
import type { Logger } from '../../shared/logger';
import type { Input } from '../http/endpoint';
import { Problem } from '../http/responses/problem';
import type { LoginLimit, Verify } from './login-limit';

/** Passwords, checked within the limit; how that ended is audited. */

/** Who says to be whom. */
export interface Claim {
  readonly username: string;
  /**
   * The user of that name, or null. An unknown name is not audited, because it may be a password.
   */
  readonly userId: number | null;
}

export interface SignInsOptions {
  readonly limit: LoginLimit;
  readonly trail: Pick<AuditTrail, 'record'>;
  readonly now: Now;
  readonly logger: Logger;
}

type Origin = Pick<Input, 'address' | 'requestId'>;

export class SignIns {
  private readonly log: ReturnType<typeof createAuditLog>;

  constructor(private readonly options: SignInsOptions) {
    this.log = createAuditLog(options.logger);
  }

  /**
   * Returns the result of `verify`.
   * @throws Problem RATE_LIMITED, without calling it, after too many failed attempts.
   */
  async check(claim: Claim, origin: Origin, verify: Verify): Promise<boolean> {
    try {
      const right = await this.options.limit.guard(claim.username, origin.address, verify);
      if (!right) this.record('identity.sign-in-failed', claim, origin);
      return right;
    } catch (error) {
      const isBlocked = error instanceof Problem && error.code === 'RATE_LIMITED';
      if (isBlocked) this.record('identity.sign-in-blocked', claim, origin);
      throw error;
    }
  }

  /**
   * A sign-in is in the log alone: each takes a password hash, and the audit is for what goes
   * wrong.
   */
  succeeded(
    actor: { readonly userId: number; readonly username: string },
    { address, requestId }: Origin,
  ): void {
    const target = userKey(actor.userId);
    this.log([
      {
        at: this.options.now(),
        actor,
        action: 'identity.signed-in',
        target,
        facts: {},
        address,
        requestId,
      },
    ]);
  }

  private record(action: TrailAction, { userId }: Claim, { address, requestId }: Origin): void {
    const target = userId === null ? null : userKey(userId);
    this.options.trail.record({ action, actor: null, target, address, requestId });
  }
}
