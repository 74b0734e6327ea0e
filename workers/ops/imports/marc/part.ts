import type { MarcField } from '../../marc/record';

/** What a part of a title is, and what of the record it was made of. */
export interface MarcPart<Value> {
  readonly value: Value;
  /** Fields, each with the codes of its subfields in one text. */
  readonly used: readonly (readonly [MarcField, codes: string])[];
}
