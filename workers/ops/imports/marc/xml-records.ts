import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import sax, { type QualifiedTag, type Tag } from 'sax';
import { OpsError } from '../../command';
import type { MarcField, MarcRecord } from '../../marc/record';
import { ROW_MAX } from '../row-format';

/** Reads the records of a MARCXML file one by one, whatever the prefix of its names. */

/** A record, or null when it is longer than a row may be; `end`: how far the file is read. */
interface XmlRecord {
  readonly record: MarcRecord | null;
  readonly end: number;
}

interface Unfinished {
  leader: string;
  readonly fields: MarcField[];
  length: number;
}

/** Puts records together out of what the parser finds. */
class Assembler {
  /** Complete ones that were not taken yet. */
  readonly complete: (MarcRecord | null)[] = [];
  readonly parser = sax.parser(true, { xmlns: true });
  private record: Unfinished | null = null;
  private field: { tag: string; indicators: string; subfields: [string, string][] } | null = null;
  private text: string | null = null;
  fault: Error | null = null;

  constructor() {
    Object.assign(this.parser, {
      onopentag: (tag: Tag | QualifiedTag) => {
        this.open(tag as QualifiedTag);
      },
      onclosetag: (name: string) => {
        this.close(name.slice(name.indexOf(':') + 1));
      },
      ontext: (text: string) => {
        this.add(text);
      },
      oncdata: (text: string) => {
        this.add(text);
      },
      onerror: (error: Error) => {
        this.fault ??= error;
        // Without this the parser throws at its next piece.
        this.parser.error = null as unknown as Error;
      },
    });
  }

  private open({ local, attributes }: QualifiedTag): void {
    const given = (name: string): string => attributes[name]?.value ?? '';
    if (local === 'record') this.record = { leader: '', fields: [], length: 0 };
    if (local === 'controlfield' || local === 'datafield') {
      const indicators = `${given('ind1') || ' '}${given('ind2') || ' '}`;
      this.field = {
        tag: given('tag'),
        indicators: local === 'datafield' ? indicators : '',
        subfields: local === 'datafield' ? [] : [['', '']],
      };
    }
    if (local === 'subfield') this.field?.subfields.push([given('code'), '']);
    if (['leader', 'controlfield', 'subfield'].includes(local)) this.text = '';
  }

  private add(text: string): void {
    if (this.text === null || !this.record) return;
    this.record.length += text.length;
    if (this.record.length <= ROW_MAX) this.text += text;
  }

  private close(local: string): void {
    const text = this.text ?? '';
    this.text = null;
    const last = this.field?.subfields.at(-1);
    if (last && (local === 'subfield' || local === 'controlfield')) last[1] = text;
    if (!this.record) return;
    if (local === 'leader') this.record.leader = text;
    if (local === 'controlfield' || local === 'datafield') this.endField(this.record);
    if (local === 'record') this.endRecord(this.record);
  }

  private endField({ length, fields }: Unfinished): void {
    if (this.field && length <= ROW_MAX) fields.push(this.field);
    this.field = null;
  }

  private endRecord(record: Unfinished): void {
    if (!this.fault) this.complete.push(record.length > ROW_MAX ? null : record);
    this.record = null;
  }
}

/** @throws OpsError for a file that is not well-formed XML. */
export async function* readMarcXml(file: string): AsyncGenerator<XmlRecord, void, undefined> {
  const assembler = new Assembler();
  const { parser, complete } = assembler;
  const decoder = new StringDecoder('utf8');
  let end = 0;
  const check = () => {
    if (!assembler.fault) return;
    const [reason = ''] = assembler.fault.message.split('\n');
    throw new OpsError(
      `Reading stopped at line ${parser.line + 1}: it is not well-formed XML (${reason}).`,
    );
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    parser.write(decoder.write(chunk));
    end += chunk.length;
    for (const record of complete.splice(0)) yield { record, end };
    check();
  }
  parser.close();
  for (const record of complete.splice(0)) yield { record, end };
  check();
}
