/**
 * The order of a course's videos while a batch changes it, without reading the stored videos. It is
 * a list of pieces. Each is a run of adjacent stored videos, or one new video.
 */
export interface Piece {
  /** Stored position of the first video, or the id of a new one. */
  readonly from: number;
  readonly length: number;
  readonly isNew?: true;
}

/** Stored videos that move together. */
export interface Run {
  /** First and last position as stored. */
  readonly from: number;
  readonly to: number;
  /** By how many places the run moves. */
  readonly shift: number;
}

/** Returns the order of a course with `count` stored videos, before any change. */
export function storedOrder(count: number): readonly Piece[] {
  return count === 0 ? [] : [{ from: 1, length: count }];
}

export const newVideo = (id: number): Piece => ({ from: id, length: 1, isNew: true });

/** Cuts the pieces behind the first `count` videos. */
function cut(pieces: readonly Piece[], count: number): [before: Piece[], after: Piece[]] {
  const [before, after]: [Piece[], Piece[]] = [[], []];
  let left = count;
  for (const piece of pieces) {
    const { from, length } = piece;
    if (left >= length) before.push(piece);
    else if (left <= 0) after.push(piece);
    else {
      before.push({ from, length: left });
      after.push({ from: from + left, length: length - left });
    }
    left -= length;
  }
  return [before, after];
}

/** Inserts a video at a position. Videos there and behind move by one. */
export function inserted(pieces: readonly Piece[], position: number, video: Piece): Piece[] {
  const [before, after] = cut(pieces, position - 1);
  return [...before, video, ...after];
}

/** Removes the video at a position. Videos behind it move by one. */
export function removed(
  pieces: readonly Piece[],
  position: number,
): { readonly pieces: Piece[]; readonly video: Piece } {
  const [before, rest] = cut(pieces, position - 1);
  const [[video], after] = cut(rest, 1);
  if (!video) throw new Error(`there is no video at position ${position}`);
  return { pieces: [...before, ...after], video };
}

/**
 * Returns the present position of a video, found by its stored position, or by id when it is new.
 */
export function positionOf(pieces: readonly Piece[], { from, isNew }: Piece): number {
  let position = 1;
  for (const piece of pieces) {
    const within = from - piece.from;
    if (piece.isNew === isNew && within >= 0 && within < piece.length) return position + within;
    position += piece.length;
  }
  throw new Error(`video ${from} is not in the order`);
}

/** Returns how the stored videos move. */
export function runsOf(pieces: readonly Piece[]): Run[] {
  let position = 1;
  return pieces.flatMap(({ from, length, isNew }) => {
    const shift = position - from;
    position += length;
    return isNew ? [] : [{ from, to: from + length - 1, shift }];
  });
}
