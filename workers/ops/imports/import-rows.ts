import type { ImportReport } from './import-report';
import { fingerprint, type Registration } from './registration';
import { Refused } from './row-cells';
import type { FileRow, RawCells } from './row-format';
import type { ServiceClient } from './service-client';

/** Takes the rows of a file to the service, several at once. */

/** What is done with a row. */
export interface RowImport<Column extends string, Item> {
  /** Makes what the service takes out of a row. @throws Refused */
  readonly clean: (cells: RawCells<Column>, warnings: string[]) => Item | Promise<Item>;
  /** What two rows of the same thing have in common. */
  readonly identity: (item: Item) => unknown;
  /** The same in words: `same ISBN`. */
  readonly sameBy: (item: Item) => string;
  /** @throws Refused, or OpsError when the fault is not the row's. */
  readonly register: (client: ServiceClient, item: Item) => Promise<Registration>;
}

export interface ImportRun<Column extends string, Item> {
  readonly rowImport: RowImport<Column, Item>;
  readonly client: ServiceClient;
  readonly report: ImportReport;
  /** Rows under way at once. */
  readonly concurrency: number;
}

interface Candidate<Item> {
  readonly line: number;
  readonly item: Item;
}

/**
 * Returns the result of `work`, or null when it refuses the row, which is reported. Any other error
 * ends the import.
 */
async function unlessRefused<Result>(
  report: ImportReport,
  line: number,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    report.refuse(line, error.message);
    return null;
  }
}

async function cleaned<Column extends string, Item>(
  { content }: FileRow<Column>,
  { clean }: RowImport<Column, Item>,
) {
  if ('fault' in content) throw new Refused(content.fault);
  const warnings: string[] = [];
  return { item: await clean(content.cells, warnings), warnings, leftOut: content.leftOut ?? [] };
}

/**
 * The rows that should be registered; all others are told to the report. It holds one entry for
 * each thing of the file, about 100 bytes, because a second row of it can stand anywhere.
 */
async function* candidates<Column extends string, Item>(
  rows: AsyncIterable<FileRow<Column>>,
  { rowImport, report }: ImportRun<Column, Item>,
): AsyncGenerator<Candidate<Item>, void, undefined> {
  const seen = new Map<string, number>();
  for await (const row of rows) {
    const { line, bytes } = row;
    report.counts.rows += 1;
    report.progress(bytes);
    const found = await unlessRefused(report, line, () => cleaned(row, rowImport));
    if (!found) continue;
    const { item, warnings, leftOut } = found;
    report.leaveOut(leftOut);
    for (const warning of warnings) report.warn(line, warning);
    const name = fingerprint(rowImport.identity(item));
    const first = seen.get(name);
    if (first === undefined) {
      seen.set(name, line);
      yield { line, item };
    } else {
      report.counts.merged += 1;
      report.remark(line, `${rowImport.sameBy(item)} as ${report.unit} ${first}`);
    }
  }
}

async function registerCandidate<Column extends string, Item>(
  { line, item }: Candidate<Item>,
  { rowImport, client, report }: ImportRun<Column, Item>,
): Promise<void> {
  const registration = await unlessRefused(report, line, () => rowImport.register(client, item));
  if (!registration) return;
  report.counts[registration.kind === 'registered' ? 'registered' : 'alreadyThere'] += 1;
  if (registration.remark !== undefined) report.remark(line, registration.remark);
}

/**
 * Registers all rows; the first fault that is not a row's ends it, once the calls under way have
 * ended.
 */
export async function importRows<Column extends string, Item>(
  rows: AsyncIterable<FileRow<Column>>,
  run: ImportRun<Column, Item>,
): Promise<void> {
  const source = candidates(rows, run);
  let failed = false;
  const runner = async () => {
    try {
      for await (const candidate of {
        [Symbol.asyncIterator]: () => ({ next: () => source.next() }),
      }) {
        await registerCandidate(candidate, run);
        if (failed) return;
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const runners = await Promise.allSettled(Array.from({ length: run.concurrency }, runner));
  await source.return();
  const fault = runners.find((result) => result.status === 'rejected');
  if (fault) throw fault.reason;
}
