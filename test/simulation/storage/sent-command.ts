import type { Outcome } from '../../../shared/command';
import type { StockCommand } from '../stock';

/** A command as its client remembers it. */
export interface SentCommand {
  readonly command: StockCommand;
  /** Refused: at every try. Unknown: it may have been stored, at one of them. */
  state: 'waits' | 'sending' | 'promised' | 'refused' | 'unknown';
  /** It may have been stored before. */
  perhaps: boolean;
  /** Order of the promises. */
  place: number;
  readonly answers: Outcome[];
}
