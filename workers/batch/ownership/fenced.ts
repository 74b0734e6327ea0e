import type { Delivery } from '../../../shared/messaging/transport';
import { epochsOf } from './deliveries';
import { fenceStatement } from './fence';
import type { BeginBatch, Statement, StatementResult } from '../sql/transaction';

export interface FencedWork {
  readonly reads?: readonly Statement[];
  readonly writes: (results: readonly StatementResult[]) => readonly Statement[];
}

/**
 * Runs a fenced transaction that is not a batch: `reads`, which may write as well, then what
 * `writes` makes of their results. Returns the results of the writes, or null when a partition
 * belongs to another worker; then nothing is written.
 */
export async function fenced(
  begin: BeginBatch,
  deliveries: readonly Delivery[],
  { reads = [], writes }: FencedWork,
): Promise<readonly StatementResult[] | null> {
  const epochs = epochsOf(deliveries);
  const { transaction, results } = await begin([fenceStatement(epochs), ...reads]);
  try {
    const [fence, ...rest] = results;
    if (fence?.affected === epochs.length) {
      await transaction.commit(writes(rest));
      return rest;
    }
    await transaction.rollback();
    return null;
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}
