/** How long a sentence may be, in Markdown, in texts of the product and in comments. */

const SENTENCE_WORDS_MAX = 35;

const wordsOf = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** The sentences of a text that are too long, each as a line for a message. */
function longSentences(text) {
  return text
    .split(/(?<=[.!?]["')]?)\s+|\n\s*\n/)
    .map(wordsOf)
    .filter((words) => words.length > SENTENCE_WORDS_MAX)
    .map((words) => `${words.length} words: ${words.slice(0, 8).join(' ')} ...`);
}

module.exports = { SENTENCE_WORDS_MAX, longSentences };
