import { ID_MAX } from '../../../shared/fields';
import type { Fault } from '../responses/problem';
import { textFault } from './texts';

const ID_FORM = /^[1-9][0-9]{0,15}$/;

/** The id that a path parameter spells, null when it spells none. */
export function parseId(text: string): number | null {
  if (!ID_FORM.test(text)) return null;
  const id = Number(text);
  return id <= ID_MAX ? id : null;
}

/**
 * Path parameters: those named `...Id` as numbers, others as they are. Faults are added to
 * `faults`.
 */
export function checkParams(
  params: Readonly<Record<string, string>>,
  faults: Fault[],
): Record<string, unknown> {
  const checked: Record<string, unknown> = {};
  for (const [field, text] of Object.entries(params)) {
    if (!field.endsWith('Id')) {
      const wrong = textFault(text);
      if (wrong) faults.push({ field, code: 'INVALID_FORMAT', message: `${field} ${wrong}` });
      checked[field] = text;
      continue;
    }
    const id = parseId(text);
    if (id === null)
      faults.push({
        field,
        code: 'INVALID_ID',
        message: `${field} must be an integer from 1 to ${ID_MAX}`,
      });
    checked[field] = id;
  }
  return checked;
}
