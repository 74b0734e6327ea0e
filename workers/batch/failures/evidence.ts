import { COMMAND_FAILED, type Outcome } from '../../../shared/command';
import type { PartitionOwnership } from '../../../shared/messaging/transport';
import type { CommandDelivery } from '../ownership/deliveries';
import { POISON_TRIES_MAX, reasonOf } from './retry';

/**
 * Judges commands that fail alone, so that a fault of the system makes no dead letters.
 *
 * A command is at fault when it has failed alone `POISON_TRIES_MAX` times. The system is at fault
 * when a command of another aggregate fails alike at the same time, and none of its type was
 * carried out since it first failed. A success of its type settles the question against the
 * command. So does time, because every promise must end.
 */
export type Verdict = 'unknown' | 'command' | 'system';

/**
 * How long commands that fail alike wait for the system to be mended, milliseconds: as long as
 * taking a release back may take.
 */
export const SYSTEM_FAULT_MAX_MS = 600_000;
/** How long a failure of another command is held against the system, milliseconds. */
const ALIKE_MS = 60_000;
/** Most trials that are remembered. */
const TRIALS_MAX = 1000;

interface Trial {
  readonly key: string;
  readonly type: string;
  /**
   * Once it is lost, another worker tries the command, and what becomes of it is not known here.
   */
  ownership: PartitionOwnership;
  /** Place in time, among the successes, of its first failure. */
  readonly since: number;
  readonly firstAt: number;
  lastAt: number;
  tries: number;
  symptom: string;
}

export class Evidence {
  private instant = 0;
  private readonly trials = new Map<string, Trial>();
  private readonly successes = new Map<string, number>();

  /** Judges a command that has failed alone with `error`. */
  judge({ ownership, message }: CommandDelivery, error: unknown): Verdict {
    const { commandId, key, type } = message.envelope;
    const trial = this.trials.get(commandId) ?? {
      key,
      type,
      ownership,
      since: (this.instant += 1),
      firstAt: performance.now(),
      lastAt: 0,
      tries: 0,
      symptom: '',
    };
    trial.ownership = ownership;
    trial.tries += 1;
    trial.lastAt = performance.now();
    trial.symptom = symptomOf(error);
    this.trials.set(commandId, trial);
    if (this.trials.size > TRIALS_MAX) this.trials.delete([...this.trials.keys()][0] ?? '');
    if (trial.tries < POISON_TRIES_MAX) return 'unknown';
    const waitedMs = trial.lastAt - trial.firstAt;
    if (!this.isRefuted(trial) && this.failsElsewhere(trial) && waitedMs <= SYSTEM_FAULT_MAX_MS)
      return 'system';
    this.trials.delete(commandId);
    return 'command';
  }

  /** Takes note of commands that were carried out, whether granted or refused. */
  carriedOut(outcomes: readonly Outcome[]): void {
    for (const { commandId, type, ending } of outcomes) {
      this.trials.delete(commandId);
      if (ending.status === 'succeeded' || ending.refusal.code !== COMMAND_FAILED)
        this.successes.set(type, (this.instant += 1));
    }
  }

  /** Whether the system has carried out a command of this type since. */
  private isRefuted({ type, since }: Trial): boolean {
    return (this.successes.get(type) ?? 0) > since;
  }

  private failsElsewhere({ key, symptom, lastAt }: Trial): boolean {
    const fails = [...this.trials.values()].filter(
      (other) =>
        !other.ownership.lost && lastAt - other.lastAt < ALIKE_MS && !this.isRefuted(other),
    );
    return fails.some((other) => other.key !== key && other.symptom === symptom);
  }
}

/** What failures of different commands have in common: the reason without its values. */
export function symptomOf(error: unknown): string {
  return reasonOf(error)
    .replace(/(["'`]).*?\1/g, '…')
    .replace(/\d+/g, '…');
}
