/**
 * Rules of prose for markdownlint: how long a sentence is, and how long the README.
 * The other limits are markdownlint's own rules: see .markdownlint-cli2.jsonc.
 */

const { SENTENCE_WORDS_MAX, longSentences } = require('./sentences');

const README_LINES_MAX = 150;
const README_WORDS_MAX = 1_500;

const TEXT = new Set(['paragraph', 'tableData', 'tableHeader', 'atxHeadingText']);

/** The pieces of a page that hold sentences: paragraphs, also of lists, and cells of tables. */
function texts(tokens) {
  return tokens.flatMap((token) => (TEXT.has(token.type) ? [token] : texts(token.children)));
}

/** What is read aloud: code is one word, and a link its text. */
function spoken(markdown) {
  return markdown
    .replace(/`[^`]+`/g, 'code')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_|]/g, ' ');
}

const sentenceLength = {
  names: ['sentence-length'],
  description: `Sentences have at most ${SENTENCE_WORDS_MAX} words`,
  tags: ['prose'],
  parser: 'micromark',
  function: ({ parsers }, onError) => {
    for (const { text, startLine } of texts(parsers.micromark.tokens))
      for (const detail of longSentences(spoken(text))) onError({ lineNumber: startLine, detail });
  },
};

const readmeLength = {
  names: ['readme-length'],
  description: `The README has at most ${README_LINES_MAX} lines and ${README_WORDS_MAX} words`,
  tags: ['prose'],
  parser: 'none',
  function: ({ name, lines }, onError) => {
    if (name !== 'README.md') return;
    const words = lines.join('\n').split(/\s+/).length;
    const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
    if (count > README_LINES_MAX)
      onError({ lineNumber: README_LINES_MAX, detail: `${count} lines` });
    if (words > README_WORDS_MAX) onError({ lineNumber: 1, detail: `${words} words` });
  },
};

module.exports = [sentenceLength, readmeLength];
