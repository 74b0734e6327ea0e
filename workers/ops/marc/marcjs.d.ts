/** The part of the package that is used: it has no types of its own. */
declare module 'marcjs' {
  export interface MarcjsRecord {
    leader: string;
    /** `[tag, value]`, or `[tag, indicators, code, value, code, value, ...]`. */
    fields: string[][];
  }

  export const Marc: {
    parse(raw: Buffer, type: 'iso2709'): MarcjsRecord;
    format(record: MarcjsRecord, type: 'iso2709' | 'marcxml'): string;
  };
}
