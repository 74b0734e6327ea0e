import { join } from 'node:path';
import { temporaryFolder } from '../../run/cleanup';
import type { Batch } from './batch';
import { readHistories, writeHistories } from './history';
import { withoutOrder } from './legal-order';

interface Checked {
  readonly file: string;
  /** What is wrong, by history. */
  readonly wrong: readonly string[];
  /** Histories that have a legal order even when reads are held to it as well. */
  readonly atomic: number;
  /** Operations of which nobody knows whether they had an effect. */
  readonly unknown: number;
}

/**
 * Writes the histories down and checks what was written. FAULTS_HISTORIES names a folder in which
 * they are kept.
 */
export async function checkHistories(name: string, batches: readonly Batch[]): Promise<Checked> {
  const file = join(
    process.env['FAULTS_HISTORIES'] ?? (await temporaryFolder('histories')),
    `${name}.jsonl`,
  );
  await writeHistories(
    file,
    batches.flatMap(({ histories }) => histories),
  );
  const histories = readHistories(file);
  const wrong = batches.flatMap(({ violations }) => violations);
  let atomic = 0;
  for (const [title, history] of histories) {
    if (withoutOrder(history, { reads: 'atomic' }) === null) atomic += 1;
    else {
      const why = withoutOrder(history, { reads: 'answered' });
      if (why !== null) wrong.push(`${title}: ${why}`);
    }
  }
  const unknown = [...histories.values()].flat().filter(({ type }) => type === 'info').length;
  return { file, wrong, atomic, unknown };
}
