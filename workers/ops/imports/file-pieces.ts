import { createReadStream } from 'node:fs';
import { ROW_MAX } from './row-format';

/** A piece of a file up to its separator. */
export interface Piece {
  /** Null when it is longer than a row may be. */
  readonly bytes: Buffer | null;
  /** How far the file is read, bytes. */
  readonly end: number;
}

/**
 * The pieces of a file between separators of one byte; the last is what stands behind the last
 * separator. Of a piece that is too long nothing is held, so that a file without separators cannot
 * fill the memory.
 */
export async function* piecesOf(
  file: string,
  separator: number,
): AsyncGenerator<Piece, void, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  let end = 0;
  const hold = (part: Buffer) => {
    length += part.length;
    end += part.length;
    if (length > ROW_MAX) parts = [];
    else parts.push(part);
  };
  const taken = (): Piece => {
    const bytes = length > ROW_MAX ? null : Buffer.concat(parts);
    parts = [];
    length = 0;
    return { bytes, end };
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let at = chunk.indexOf(separator); at >= 0; at = chunk.indexOf(separator, start)) {
      hold(chunk.subarray(start, at));
      end += 1;
      yield taken();
      start = at + 1;
    }
    hold(chunk.subarray(start));
  }
  yield taken();
}
