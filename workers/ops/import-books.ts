import { stat } from 'node:fs/promises';
import { COPIES_ADDED_MAX } from '../../shared/lending/commands';
import { administratorToken } from './administrator-token';
import { readBookFile, type FileRow } from './book-file';
import { cleanBookRow, type BookToRegister } from './book-row';
import { OpsError, UsageError, type Arguments, type OpsCommand } from './command';
import { ImportReport } from './import-report';
import { serversOption } from './installation';
import { registerBook } from './register-book';
import { ServiceClient } from './service-client';

const CONCURRENCY_MAX = 256;
const CONCURRENCY_DEFAULT = 32;

interface Candidate {
  readonly line: number;
  readonly book: BookToRegister;
}

/** What makes two rows of a file the same title: the ISBN, or without one the title and author. */
function identity({ isbn, title, author }: BookToRegister): string {
  return isbn ?? `${title}\n${author}`;
}

/**
 * The rows that should be registered; all others are told to the report. It holds one entry for each title of the file,
 * about 100 bytes, because a second row of a title can stand anywhere.
 */
async function* candidates(rows: AsyncIterable<FileRow>, defaultCopies: number, report: ImportReport): AsyncGenerator<Candidate> {
  const seen = new Map<string, number>();
  for await (const { line, bytes, content } of rows) {
    report.counts.rows += 1;
    report.progress(bytes);
    const row = 'fault' in content ? { kind: 'refused' as const, reason: content.fault } : cleanBookRow(content.cells, defaultCopies);
    if (row.kind === 'refused') {
      report.refuse(line, row.reason);
      continue;
    }
    const { book, warnings } = row;
    for (const warning of warnings) report.warn(line, warning);
    const first = seen.get(identity(book));
    if (first === undefined) {
      seen.set(identity(book), line);
      yield { line, book };
    } else {
      report.counts.merged += 1;
      report.remark(line, `${book.isbn === null ? 'same title and author' : 'same ISBN'} as line ${first}`);
    }
  }
}

/** Registers candidates, `concurrency` at a time; the first fault that is not a row's ends it, once the calls under way have ended. */
async function registerAll(source: AsyncGenerator<Candidate>, client: ServiceClient, concurrency: number, report: ImportReport): Promise<void> {
  let failed = false;
  const runner = async () => {
    try {
      for await (const { line, book } of { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) }) {
        const registration = await registerBook(client, book, line);
        if (registration.kind === 'registered') report.counts.registered += 1;
        else if (registration.kind === 'there') report.counts.alreadyThere += 1;
        else report.refuse(line, registration.reason);
        if (failed) return;
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const runners = await Promise.allSettled(Array.from({ length: concurrency }, runner));
  await source.return(undefined);
  const fault = runners.find((result) => result.status === 'rejected');
  if (fault) throw fault.reason;
}

function serviceUrl(given: Arguments): string {
  const text = given.text('url') ?? `http://127.0.0.1:${process.env['API_PORT'] || '3000'}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`Option --url must be an http or https address, not '${text}'.`);
  return url.origin;
}

async function fileSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  if (!found) throw new OpsError(`There is no file ${file}.`);
  if (!found.isFile()) throw new OpsError(`${file} is not a file.`);
  return found.size;
}

export const importBooks: OpsCommand = {
  summary: 'Register the books of a CSV file through the running service',
  operands: ['FILE.csv'],
  options: {
    url: { value: 'URL', help: 'address of the service (default http://127.0.0.1:${API_PORT:-3000})' },
    token: { value: 'TOKEN', help: "an administrator's token (default LENDLINE_TOKEN, else one is made with the installation's secret)" },
    copies: { value: 'N', help: `copies of a book whose row does not say, 0 to ${COPIES_ADDED_MAX} (default 1)` },
    concurrency: { value: 'N', help: `calls under way at once, 1 to ${CONCURRENCY_MAX} (default ${CONCURRENCY_DEFAULT})` },
    ...serversOption,
    json: { help: 'print the counts as JSON' },
  },
  notes: [
    'Columns: title, author, isbn, publicationDate, bookImg, copies; or those of goodbooks-10k: title or original_title,',
    'authors, isbn, original_publication_year, image_url. Others are ignored. A book that is there already stays as it',
    'is, so that a file can be imported again; of two rows of one book the first counts. Exit 1 when a row was refused.',
  ].join('\n'),
  async run(given) {
    const [file = ''] = given.operands;
    const url = serviceUrl(given);
    const copies = given.integer('copies', { min: 0, max: COPIES_ADDED_MAX, fallback: 1 });
    const concurrency = given.integer('concurrency', { min: 1, max: CONCURRENCY_MAX, fallback: CONCURRENCY_DEFAULT });
    const report = new ImportReport(await fileSize(file));
    const token = given.text('token') ?? process.env['LENDLINE_TOKEN'];
    const client = new ServiceClient(url, token ? () => token : await administratorToken(given.flag('servers')));
    await client.check();
    report.start();
    try {
      await registerAll(candidates(readBookFile(file), copies, report), client, concurrency, report);
    } finally {
      report.stop();
      process.stdout.write(given.flag('json') ? `${JSON.stringify(report.counts)}\n` : `${report.summary()}\n`);
    }
    return report.counts.refused > 0 ? 1 : 0;
  },
};
