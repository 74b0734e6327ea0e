import { Transform, type TransformCallback } from 'node:stream';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

interface Line {
  readonly number: number;
  readonly start: number;
  blank: boolean;
}

/**
 * Passes a file's bytes on and knows on which line a row begins. csv-parse's own count is that of a
 * row's end, and it counts a line break of two characters inside of quotes twice. What was asked
 * for is forgotten, so that only the lines between the reading and the parsing are held.
 */
export class LineNumbers extends Transform {
  private readonly lines: Line[] = [{ number: 1, start: 0, blank: true }];
  private position = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let last = this.lines.at(-1) as Line;
    for (const byte of chunk) {
      this.position += 1;
      if (byte === LINE_FEED) {
        if (last.blank) this.lines.pop();
        last = { number: last.number + 1, start: this.position, blank: true };
        this.lines.push(last);
      } else if (byte !== CARRIAGE_RETURN) {
        last.blank = false;
      }
    }
    done(null, chunk);
  }

  /**
   * Returns the line of the first row that begins at byte `offset` or, when blank lines follow,
   * after it. Offsets must not go back.
   */
  lineAt(offset: number): number {
    while (this.lines.length > 1 && (this.lines[0] as Line).start < offset) this.lines.shift();
    return (this.lines[0] as Line).number;
  }
}
