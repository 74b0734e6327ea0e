import { FAULTS_MAX } from './sizes';
import type { Fault } from '../responses/problem';

/**
 * Finds texts that no database keeps as they are: SQLite cuts them at U+0000, and half of a
 * surrogate pair becomes U+FFFD. It looks at all texts of a request, whatever rules its fields
 * have.
 */

/**
 * The name of a field, by its path: `tags.1` for an item of a list, `items[3].bookId` for a member
 * of one. `isObject`: the path itself leads to an object.
 */
export function fieldOf(path: readonly (string | number)[], isObject = false): string {
  return path.reduce<string>((name, part, index) => {
    if (typeof part === 'number' && (isObject || index < path.length - 1))
      return `${name}[${part}]`;
    return name === '' ? String(part) : `${name}.${part}`;
  }, '');
}

/** Deepest level of lists and objects that is looked at; the rules refuse what is deeper. */
const DEPTH_MAX = 4;

/** Returns what is wrong with a text; null when it is valid. */
export function textFault(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the character U+0000';
  return text.isWellFormed() ? null : 'must be well-formed Unicode';
}

function collect(value: unknown, path: readonly (string | number)[], faults: Fault[]): void {
  if (faults.length > FAULTS_MAX) return;
  if (typeof value === 'string') {
    const wrong = textFault(value);
    const field = fieldOf(path);
    if (wrong) faults.push({ field, code: 'INVALID_FORMAT', message: `${field} ${wrong}` });
  } else if (typeof value === 'object' && value !== null && path.length < DEPTH_MAX) {
    const isList = Array.isArray(value);
    for (const [name, inner] of Object.entries(value))
      collect(inner, [...path, isList ? Number(name) : name], faults);
  }
}

/** The faults of the texts in a query, a body or the parameters of a path, by field. */
export function textFaults(value: object): Fault[] {
  const faults: Fault[] = [];
  collect(value, [], faults);
  return faults;
}
