import { Refused } from '../../../../workers/ops/imports/row-cells';

/** The reason with which `clean` refuses a row. */
export function refusalOf(clean: () => unknown): string {
  try {
    clean();
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
  return 'not refused';
}
