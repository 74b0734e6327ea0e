import { basename } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { auditOnTheSide } from '../audited';
import { UsageError, type OpsCommand } from '../command';
import { chooseInstallation, serversOption, withDatabase } from '../installation';
import { marcForm } from '../marc/record';
import { Progress } from '../progress';
import { PartFile } from './part-file';

/** What the commands `export-...` have in common. */

/** Rows that are read and written in one step. */
const STEP = 1000;

/** Something that the file does not hold, and how many there were. */
export type Left = (what: string, count: number) => void;

/** Rows as the file has them, with the id of the last; they may be fewer than ids were read. */
export interface Rows<Row> {
  readonly rows: readonly Row[];
  /** Null when there are no more. */
  readonly last: number | null;
}

/** How a form of file is written. */
export interface Encoder<Row> {
  readonly header: string;
  readonly encode: (rows: readonly Row[], left: Left) => string;
  readonly footer?: string;
}

export interface ExportParts<Row extends object> {
  /** What the rows are, in words: `books`. */
  readonly things: string;
  readonly notes: readonly string[];
  /** The columns in their order. A list is a JSON text in CSV. */
  readonly columns: readonly (keyof Row & string)[];
  /** How rows are written as MARC; absent where they cannot be. */
  readonly marcEncoder?: (form: 'iso2709' | 'marcxml') => Encoder<Row>;
  readonly count: () => Promise<number>;
  /** The rows behind an id, in the order of their ids. */
  readonly read: (after: number, limit: number, left: Left) => Promise<Rows<Row>>;
}

const notes = [
  'The file is JSON Lines when its name ends in .jsonl or .ndjson, else CSV with its columns in the first line. It is readable',
  'for its owner only, and appears when it is complete. Run an interrupted export again to continue it. Texts are written',
  'unchanged: a spreadsheet may run one that begins with = as a formula.',
];

function encoderOf<Row extends object>(
  file: string,
  { columns, marcEncoder }: ExportParts<Row>,
): Encoder<Row> {
  const form = marcForm(file);
  if (form && !marcEncoder)
    throw new UsageError(`${file} is named as a MARC file, which only has books.`);
  if (form && marcEncoder) return marcEncoder(form);
  if (/\.(jsonl|ndjson)$/i.test(file))
    return {
      header: '',
      encode: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    };
  const cast = { boolean: String };
  return {
    header: stringify([[...columns]]),
    encode: (rows) => stringify([...rows], { columns: [...columns], cast }),
  };
}

/** Makes a command of its parts. */
export function exportCommand<Row extends object>(parts: ExportParts<Row>): OpsCommand {
  const { things } = parts;
  return {
    summary: `Write the ${things} of the installation to a CSV or JSON Lines file`,
    operands: ['FILE'],
    options: { ...serversOption, json: { help: 'print the counts as JSON' } },
    notes: [...parts.notes, ...notes].join('\n'),
    async run(given) {
      const [file = ''] = given.operands;
      const encoder = encoderOf(file, parts);
      const installation = chooseInstallation(given.flag('servers'));
      await auditOnTheSide(installation, {
        action: `ops.export-${things}`,
        facts: { file: basename(file) },
      });
      const { rows, left } = await withDatabase(installation, () => written(file, parts, encoder));
      for (const [what, count] of left) process.stderr.write(`Left out: ${count} ${what}.\n`);
      process.stdout.write(
        given.flag('json')
          ? `${JSON.stringify({ rows, left: Object.fromEntries(left) })}\n`
          : `${rows} ${things} in ${file}\n`,
      );
      return 0;
    },
  };
}

/** Writes the file, and tells how many rows it has and what it has not. */
async function written<Row extends object>(
  file: string,
  { things, count, read }: ExportParts<Row>,
  { header, encode, footer = '' }: Encoder<Row>,
) {
  const left = new Map<string, number>();
  const tell: Left = (what, found) => {
    left.set(what, (left.get(what) ?? 0) + found);
  };
  const part = await PartFile.open(file);
  const progress = new Progress(await count(), () => `${part.position.rows} ${things}`);
  progress.start();
  try {
    const { after, rows: before } = part.position;
    if (before > 0) progress.tell(`Continuing after ${before} ${things}.`);
    else if (header) await part.append(header, after, 0);
    for (;;) {
      const { rows, last } = await read(part.position.after, STEP, tell);
      if (last === null) break;
      await part.append(encode(rows, tell), last, rows.length);
      progress.update(part.position.rows);
    }
    await part.complete(footer);
  } finally {
    progress.stop();
    await part.close();
  }
  return { rows: part.position.rows, left };
}
