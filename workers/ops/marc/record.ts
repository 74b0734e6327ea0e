/** A MARC 21 record of a title, as ISO 2709 and MARCXML both write it. */

export interface MarcField {
  readonly tag: string;
  /** Two characters; of a control field, none. */
  readonly indicators: string;
  /** Codes and values in their order; of a control field, its value without a code. */
  readonly subfields: readonly (readonly [code: string, value: string])[];
}

export interface MarcRecord {
  readonly leader: string;
  readonly fields: readonly MarcField[];
}

/** Tags below this one are control fields: a value without indicators and codes. */
export const FIRST_DATA_FIELD = '010';

/** The number of a copy where there is none: so says an export that the title has no copies. */
export const NO_COPY = '0';

/** The longest record of ISO 2709, whose length has five digits, bytes. */
export const MARC_RECORD_MAX = 99_999;

/** Returns the form of a MARC file by its name; null for any other file. */
export function marcForm(file: string): 'iso2709' | 'marcxml' | null {
  if (/\.(mrc|marc)$/i.test(file)) return 'iso2709';
  return /\.(xml|marcxml)$/i.test(file) ? 'marcxml' : null;
}

/** Returns the fields with one of these tags, in the order of the record. */
export function fieldsOf({ fields }: MarcRecord, ...tags: readonly string[]): MarcField[] {
  return fields.filter(({ tag }) => tags.includes(tag));
}

/** Returns the value of the first subfield with a code; a control field's value has the code ''. */
export function valueOf(field: MarcField | undefined, code: string): string {
  return field?.subfields.find(([own]) => own === code)?.[1] ?? '';
}
