/** Rules of prose for oxlint: how long the sentences of texts are, and how long comments. */

const { SENTENCE_WORDS_MAX, longSentences } = require('./sentences');

const COMMENT_LINES_MAX = 10;
const COMMENT_WIDTH_MAX = 100;
/** Addresses and directives are longer than a line may be. */
const UNBREAKABLE = /https?:|oxlint-disable/;
const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE)\b/;

/** The text of strings, templates and their sums, with one word for each value in them. */
function textOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : '';
  if (node.type === 'TemplateLiteral')
    return node.quasis.map(({ value }) => value.cooked).join('value');
  if (node.type === 'BinaryExpression' && node.operator === '+')
    return textOf(node.left) + textOf(node.right);
  return 'value';
}

const message = `A sentence has at most ${SENTENCE_WORDS_MAX} words. This one has {{words}}`;

const texts = {
  create(context) {
    const check = (node) => {
      if (node.parent.type === 'BinaryExpression' && node.parent.operator === '+') return;
      const text = textOf(node);
      if (SQL.test(text)) return;
      for (const words of longSentences(text)) context.report({ node, message, data: { words } });
    };
    return { Literal: check, TemplateLiteral: check, BinaryExpression: check, JSXText: check };
  },
};

/** Lines of `//` that follow each other are one comment. */
function commentsOf(sourceCode) {
  const comments = [];
  for (const { type, value, loc } of sourceCode.getAllComments()) {
    const last = comments.at(-1);
    const lines = value.split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trimEnd());
    if (type === 'Line' && last?.type === 'Line' && last.loc.end.line === loc.start.line - 1) {
      last.lines.push(...lines);
      last.loc = { start: last.loc.start, end: loc.end };
    } else comments.push({ type, lines, loc });
  }
  return comments;
}

const comments = {
  create(context) {
    return {
      Program() {
        for (const { lines, loc } of commentsOf(context.sourceCode)) {
          const count = lines.filter((line) => line !== '').length;
          const source = context.sourceCode.lines.slice(loc.start.line - 1, loc.end.line);
          if (source.some((line) => line.length > COMMENT_WIDTH_MAX && !UNBREAKABLE.test(line)))
            context.report({ loc, message: `Comments wrap at ${COMMENT_WIDTH_MAX}.` });
          if (count > COMMENT_LINES_MAX)
            context.report({
              loc,
              message: `A comment has at most ${COMMENT_LINES_MAX} lines. This one has ${count}.`,
            });
          // Each item of a list begins a sentence.
          const text = lines.join('\n').replace(/\n(?=- |\d+\. |@)/g, '\n\n');
          for (const words of longSentences(text))
            context.report({ loc, message, data: { words } });
        }
      },
    };
  },
};

module.exports = { meta: { name: 'prose' }, rules: { texts, comments } };
