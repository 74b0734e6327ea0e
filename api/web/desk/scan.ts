import { problemOf, saidToOperator } from '../shared/problem';
import { LONG_WAIT_S, newIntent, optionsOf, Promised, written } from '../shared/write';
import { giveBack, lend, type Borrow, type Person } from './calls';
import { deskTexts } from './texts';

/** What a scan of a barcode does. */

export interface Scan {
  readonly barcode: string;
  /** The borrower; null for a return. */
  readonly reader: Person | null;
}

export interface Scanned {
  readonly isDone: boolean;
  readonly says: string;
}

async function carryOut({ barcode, reader }: Scan): Promise<Borrow | Promised> {
  if (!reader) {
    const intent = newIntent({ barcode });
    return written(giveBack(intent.input, optionsOf(intent, LONG_WAIT_S)));
  }
  const intent = newIntent({ barcode, userId: reader.userId });
  return written(lend(intent.input, optionsOf(intent, LONG_WAIT_S)));
}

/** Carries out a scan. Never rejects: a refusal is displayed, and the next copy may be scanned. */
export async function scanned(scan: Scan): Promise<Scanned> {
  const { circulation: of } = deskTexts;
  const { barcode, reader } = scan;
  try {
    const borrow = await carryOut(scan);
    if (borrow instanceof Promised) return { isDone: true, says: of.promised(barcode) };
    const { title, username, dueAt } = borrow;
    return {
      isDone: true,
      says: reader
        ? of.lent(title, reader.username, dueAt)
        : of.returned(title, username ?? deskTexts.audit.nobody),
    };
  } catch (error) {
    const problem = problemOf(error);
    const why = problem ? saidToOperator(problem) : of.noAnswer;
    return { isDone: false, says: of.refused(barcode, why) };
  }
}
