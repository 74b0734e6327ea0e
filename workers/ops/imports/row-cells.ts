import type { Schema } from 'joi';
import { reporting } from '../../../shared/fields';
import type { RawCells } from './row-format';

/**
 * Makes what the service takes out of the cells of somebody's file. What such files get wrong in a
 * way that has one right answer is mended; what would need a guess is refused with its reason.
 * Pure.
 */

/** The reason why a row cannot be taken. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export type TextCells<Column extends string> = Partial<Record<Column, string>>;

/**
 * Returns the cells as CSV has them: numbers as texts, null as absent. @throws Refused for a list
 * or an object.
 */
export function textCells<Column extends string>(cells: RawCells<Column>): TextCells<Column> {
  const texts: TextCells<Column> = {};
  for (const [column, value] of Object.entries(cells) as [Column, unknown][]) {
    if (value === null || value === undefined) continue;
    if (typeof value === 'object') throw new Refused(`${column} must be text`);
    texts[column] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return texts;
}

/**
 * Returns one line: line breaks and runs of blanks in a cell come from typesetting and become one
 * space. The first cell that has a text counts.
 */
export function oneLine(...cells: (string | undefined)[]): string {
  const filled = cells.map((cell) => (cell ?? '').replace(/\s+/g, ' ').trim().normalize('NFC'));
  return filled.find((text) => text !== '') ?? '';
}

/**
 * Returns a number from 0 on, also as a data frame writes it (`3.0`): `absent` for an empty cell,
 * NaN for anything else, which the row's rules will name.
 */
export function wholeNumber<Absent>(cell: string | undefined, absent: Absent): number | Absent {
  const text = (cell ?? '').trim();
  if (text === '') return absent;
  return /^\d{1,16}(\.0*)?$/.test(text) ? Number(text) : NaN;
}

/** Returns a list that stands in CSV as a text of JSON; anything else as it is. */
export function listIn(cell: unknown): unknown {
  if (typeof cell !== 'string' || !cell.trim().startsWith('[')) return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** Returns what the rules make of a row. @throws Refused with all faults. */
export function checkedItem<Item>(rules: Schema<Item>, row: object): Item {
  const checked = reporting(rules).validate(row);
  if (checked.error) throw new Refused(checked.error.message);
  return checked.value;
}
