import type { Envelope, Outcome } from '../../../shared/command';
import type { Logger } from '../../../shared/logger';
import type { Delivery } from '../../../shared/messaging/transport';
import { deadLetters } from '../../metrics';
import type { AfterCommit } from '../after-commit';
import { fenced } from '../ownership/fenced';
import type { BeginBatch, StatementResult } from '../sql/transaction';
import { GivingUp } from './dead-letters';
import { clearStatement } from './suspects';
import type { WhileHeld } from './while-held';

export interface GiveUpDependencies {
  readonly begin: BeginBatch;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Gives up what cannot be carried out. */
export class GiveUp {
  constructor(
    private readonly deps: GiveUpDependencies,
    private readonly whileHeld: WhileHeld,
    private readonly afterCommit: Pick<AfterCommit, 'reply'>,
  ) {}

  /**
   * Makes a dead letter of a message, and stores that as the outcome of its command, so that its
   * sender is told. False when it was stopped before.
   */
  async giveUp(delivery: Delivery, header: Envelope | null, reason: string): Promise<boolean> {
    const { ownership, content } = delivery;
    deadLetters.inc();
    this.deps.logger.error(
      { partition: ownership.name, commandId: header?.commandId, reason },
      'message became a dead letter',
    );
    const givingUp = new GivingUp(
      { partition: ownership.name, content, header },
      reason,
      this.deps.now(),
    );
    const marks = header ? [clearStatement([header.commandId])] : [];
    const work = {
      reads: givingUp.reads,
      writes: (results: readonly StatementResult[]) => [...givingUp.writes(results), ...marks],
    };
    const results = await this.whileHeld.untilServersAnswer([delivery], (held) =>
      fenced(this.deps.begin, held, work),
    );
    // Without results it is somebody else's command by now and may succeed there, so nobody may be
    // told that it failed.
    if (header && results && givingUp.isTold(results))
      this.afterCommit.reply([header], new Map([[header.commandId, givingUp.outcome as Outcome]]));
    return results !== null || !this.whileHeld.isStopped;
  }
}
