import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { administratorToken } from '../administrator-token';
import { auditOnTheSide } from '../audited';
import { OpsError, UsageError, type Arguments, type OpsCommand, type Option } from '../command';
import { chooseInstallation, serversOption } from '../installation';
import { marcForm } from '../marc/record';
import { csvForm, delimiterNamed, encodingNamed, type CsvForm } from './csv-form';
import { ImportReport } from './import-report';
import { importRows, type RowImport } from './import-rows';
import { isJsonLines, readRowFile } from './row-file';
import type { RowFormat } from './row-format';
import { ServiceClient } from './service-client';

/** What the commands `import-...` have in common. */

const CONCURRENCY_MAX = 256;
const CONCURRENCY_DEFAULT = 256;

const commonOptions = {
  url: {
    value: 'URL',
    help: 'address of the service (default http://127.0.0.1:${API_PORT:-3000})',
  },
  token: {
    value: 'TOKEN',
    help: "an administrator's token (default LENDLINE_TOKEN, else one is made with the installation's secret)",
  },
  concurrency: {
    value: 'N',
    help: `rows under way at once, 1 to ${CONCURRENCY_MAX} (default ${CONCURRENCY_DEFAULT})`,
  },
  encoding: {
    value: 'NAME',
    help: 'encoding of a CSV file, such as utf-8, cp949 or windows-1252 (default: guessed)',
  },
  delimiter: {
    value: 'CHARACTER',
    help: "separator of the columns of a CSV file, or 'tab' (default: guessed)",
  },
  ...serversOption,
  json: { help: 'print the counts as JSON' },
};

const commonNotes = [
  'The file is CSV whose first line names the columns, or JSON Lines when its name ends in .jsonl or .ndjson. Other columns',
  'are ignored. It is safe to import a file again. Of rows that describe the same thing, the first counts. Exits 1 when a row',
  'was refused.',
];

export interface ImportParts<Column extends string, Item> {
  /** What the rows are, in words: `books`. */
  readonly things: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** Lines of the help that say which columns there are and when a thing is there already. */
  readonly notes: readonly string[];
  readonly format: RowFormat<Column>;
  /** Reads the command's own options. @throws UsageError */
  readonly prepare: (given: Arguments) => RowImport<Column, Item>;
}

function serviceUrl(given: Arguments): string {
  const text = given.text('url') ?? `http://127.0.0.1:${process.env['API_PORT'] || '3000'}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`Option --url must be an http or https address, not '${text}'.`);
  return url.origin;
}

/** Returns what a file is by its name. @throws UsageError for MARC where there are no titles. */
function formOf<Column extends string>(
  file: string,
  { ofMarc }: RowFormat<Column>,
): 'csv' | 'json' | 'marc' {
  if (isJsonLines(file)) return 'json';
  if (!marcForm(file)) return 'csv';
  if (!ofMarc) throw new UsageError(`${file} is named as a MARC file, which only has books.`);
  return 'marc';
}

/** @throws UsageError for a form that has neither. */
function givenForm(given: Arguments, form: ReturnType<typeof formOf>): Partial<CsvForm> {
  const { encoding, delimiter } = {
    encoding: given.text('encoding'),
    delimiter: given.text('delimiter'),
  };
  const named = encoding === undefined ? 'delimiter' : 'encoding';
  if (form !== 'csv' && (encoding ?? delimiter) !== undefined)
    throw new UsageError(
      `Option --${named} is for CSV files: ${form === 'json' ? 'JSON Lines are' : 'MARC is'} always UTF-8.`,
    );
  return {
    ...(encoding !== undefined && { encoding: encodingNamed(encoding) }),
    ...(delimiter !== undefined && { delimiter: delimiterNamed(delimiter) }),
  };
}

async function fileSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  if (!found) throw new OpsError(`There is no file ${file}.`);
  if (!found.isFile()) throw new OpsError(`${file} is not a file.`);
  return found.size;
}

/** Makes a command of its parts. */
export function importCommand<Column extends string, Item>({
  things,
  options,
  notes,
  format,
  prepare,
}: ImportParts<Column, Item>): OpsCommand {
  return {
    summary: `Register the ${things} of a CSV or JSON Lines file through the running service`,
    operands: ['FILE'],
    options: { ...options, ...commonOptions },
    tellsProgress: true,
    notes: [...notes, ...commonNotes].join('\n'),
    async run(given) {
      const [file = ''] = given.operands;
      const url = serviceUrl(given);
      const concurrency = given.integer('concurrency', {
        min: 1,
        max: CONCURRENCY_MAX,
        fallback: CONCURRENCY_DEFAULT,
      });
      const form = formOf(file, format);
      const wanted = givenForm(given, form);
      const rowImport = prepare(given);
      const report = new ImportReport(await fileSize(file), form === 'marc' ? 'record' : 'line');
      const token = given.text('token') ?? process.env['LENDLINE_TOKEN'];
      const installation = token ? null : chooseInstallation(given.flag('servers'));
      const client = new ServiceClient(
        url,
        installation ? await administratorToken(installation) : () => token ?? '',
      );
      await client.check();
      // With a given token it is that user who imports, and each write says so.
      if (installation)
        await auditOnTheSide(installation, {
          action: `ops.import-${things}`,
          facts: { file: basename(file) },
        });
      const tell = (text: string) => process.stderr.write(`${text}\n`);
      const csv = form === 'csv' ? await csvForm(file, format, wanted, tell) : undefined;
      report.start();
      try {
        await importRows(readRowFile(file, format, csv), {
          rowImport,
          client,
          report,
          concurrency,
        });
      } finally {
        report.stop();
        client.close();
        process.stdout.write(given.flag('json') ? `${report.json()}\n` : `${report.summary()}\n`);
      }
      return report.counts.refused > 0 ? 1 : 0;
    },
  };
}
