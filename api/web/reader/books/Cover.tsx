/**
 * A drawn cover, always the same for the same book. The addresses of pictures that titles have are
 * those of other servers, which would learn what somebody looks at, and are not there offline: the
 * page loads none of them.
 */

/** Of letters; the scripts of East Asia take two. */
const LINE_MAX = 12;
const LINES_MAX = 6;
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
const partsOf = (word: string): string[] =>
  word.match(new RegExp(`.{1,${widthOf(word) > word.length ? LINE_MAX / 2 : LINE_MAX}}`, 'gu')) ??
  [];

/** Breaks at spaces, and longer words anywhere. What does not fit ends in an ellipsis. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (const part of text.split(/\s+/).flatMap(partsOf)) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${part}`) <= LINE_MAX)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(part);
  }
  return lines.length > LINES_MAX ? [...lines.slice(0, LINES_MAX - 1), '…'] : lines;
}

export function Cover({ title, author }: { readonly title: string; readonly author: string }) {
  const hue = hueOf(title + author);
  return (
    <svg className="cover" viewBox="0 0 120 180" aria-hidden="true">
      <rect width="120" height="180" rx="4" fill={`hsl(${hue} 42% 30%)`} />
      <rect x="7" width="2" height="180" fill={`hsl(${hue} 42% 22%)`} />
      <rect x="18" y="132" width="92" height="1.5" fill={`hsl(${(hue + 40) % HUES} 60% 70%)`} />
      {linesOf(title).map((line, index) => (
        <text key={index} x="18" y={30 + index * 15} fontSize="11.5" fontWeight="600" fill="#fff">
          {line}
        </text>
      ))}
      <text x="18" y="150" fontSize="9" fill="#fff">
        {author.length > 18 ? `${author.slice(0, 17)}…` : author}
      </text>
    </svg>
  );
}
