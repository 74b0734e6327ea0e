import type { Envelope, Outcome } from '../../../shared/command';
import type { Logger } from '../../../shared/logger';
import type { Delivery } from '../../../shared/messaging/transport';
import { deadLetters } from '../../metrics';
import type { AfterCommit } from '../after-commit';
import { fenced } from '../ownership/fenced';
import type { BeginBatch, StatementResult } from '../sql/transaction';
import { NewDeadLetter } from './dead-letters';
import { clearStatement } from './suspects';
import type { WhileHeld } from './while-held';

export interface DeadLetterDependencies {
  readonly begin: BeginBatch;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Makes dead letters of what cannot be carried out, and tells the senders. */
export class DeadLetterWriter {
  constructor(
    private readonly deps: DeadLetterDependencies,
    private readonly whileHeld: WhileHeld,
    private readonly afterCommit: Pick<AfterCommit, 'reply'>,
  ) {}

  /**
   * Stores a message as a dead letter, and the failure as the outcome of its command. False when it
   * was stopped before.
   */
  async write(delivery: Delivery, header: Envelope | null, reason: string): Promise<boolean> {
    const { ownership, content } = delivery;
    deadLetters.inc();
    this.deps.logger.error(
      { partition: ownership.name, commandId: header?.commandId, reason },
      'message became a dead letter',
    );
    const letter = new NewDeadLetter(
      { partition: ownership.name, content, header },
      reason,
      this.deps.now(),
    );
    const marks = header ? [clearStatement([header.commandId])] : [];
    const work = {
      reads: letter.reads,
      writes: (results: readonly StatementResult[]) => [...letter.writes(results), ...marks],
    };
    const results = await this.whileHeld.untilServersAnswer([delivery], (held) =>
      fenced(this.deps.begin, held, work),
    );
    // Without results it is somebody else's command by now and may succeed there, so nobody may be
    // told that it failed.
    if (header && results && letter.isTold(results))
      this.afterCommit.reply([header], new Map([[header.commandId, letter.outcome as Outcome]]));
    return results !== null || !this.whileHeld.isStopped;
  }
}
