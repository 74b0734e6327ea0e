import { useState } from 'react';
import { isShown } from './cover-hosts';

/**
 * The cover of a book: its picture where the operator allows the host, for a host learns what
 * somebody looks at. Otherwise, or when the picture does not come, it is drawn, always in the same
 * way for the same book.
 */

/** Letters in a line; the scripts of East Asia take two. A long word makes the letters smaller. */
const LINE_MIN = 12;
const LINE_MAX = 20;
/** Of `LINE_MIN` letters. */
const LINES = 6;
const LETTER_SIZE = 11.5;
const LINE_HEIGHT = 15;
const WIDE_FROM = 0x2e80;
const HUES = 360;
/** Spreads similar texts over all hues. */
const SPREAD = 31;

function hueOf(text: string): number {
  return Array.from(text).reduce(
    (sum, char) => (sum * SPREAD + (char.codePointAt(0) ?? 0)) % HUES,
    0,
  );
}

const widthOf = (text: string): number =>
  Array.from(text).reduce((sum, char) => sum + ((char.codePointAt(0) ?? 0) < WIDE_FROM ? 1 : 2), 0);

/** A word in parts that fit in a line. */
const partsOf = (word: string, lineWidth: number): string[] =>
  word.match(
    new RegExp(`.{1,${widthOf(word) > word.length ? Math.floor(lineWidth / 2) : lineWidth}}`, 'gu'),
  ) ?? [];

/** Breaks at spaces, and longer words anywhere. What does not fit ends in an ellipsis. */
function linesOf(words: readonly string[], lineWidth: number): string[] {
  const lines: string[] = [];
  for (const part of words.flatMap((word) => partsOf(word, lineWidth))) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${part}`) <= lineWidth)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(part);
  }
  const most = Math.floor((LINES * lineWidth) / LINE_MIN);
  return lines.length > most ? [...lines.slice(0, most - 1), '…'] : lines;
}

/** The longest word decides how large the letters are, within bounds. */
function drawnTitle(title: string) {
  const words = title.split(/\s+/);
  const lineWidth = Math.min(Math.max(LINE_MIN, ...words.map(widthOf)), LINE_MAX);
  const scale = LINE_MIN / lineWidth;
  return { lines: linesOf(words, lineWidth), size: LETTER_SIZE * scale, step: LINE_HEIGHT * scale };
}

interface Book {
  readonly title: string;
  readonly author: string;
}

/** Its title stands beside it, so that it says nothing itself. */
export function Cover({
  bookImg = null,
  ...book
}: Book & {
  /** Address of its picture. */
  readonly bookImg?: string | null;
}) {
  const [failed, setFailed] = useState<string | null>(null);
  return bookImg !== null && bookImg !== failed && isShown(bookImg) ? (
    <img
      className="cover"
      src={bookImg}
      alt=""
      width="120"
      height="180"
      loading="lazy"
      onError={() => {
        setFailed(bookImg);
      }}
    />
  ) : (
    <DrawnCover {...book} />
  );
}

function DrawnCover({ title, author }: Book) {
  const hue = hueOf(title);
  const { lines, size, step } = drawnTitle(title);
  return (
    <svg className="cover" viewBox="0 0 120 180" aria-hidden="true">
      <rect width="120" height="180" rx="4" fill={`hsl(${hue} 42% 30%)`} />
      <rect x="7" width="2" height="180" fill={`hsl(${hue} 42% 22%)`} />
      <rect x="18" y="132" width="92" height="1.5" fill={`hsl(${(hue + 40) % HUES} 60% 70%)`} />
      {lines.map((line, index) => (
        <text key={index} x="18" y={30 + index * step} fontSize={size} fontWeight="600" fill="#fff">
          {line}
        </text>
      ))}
      <text x="18" y="150" fontSize="9" fill="#fff">
        {author.length > 18 ? `${author.slice(0, 17)}…` : author}
      </text>
    </svg>
  );
}
