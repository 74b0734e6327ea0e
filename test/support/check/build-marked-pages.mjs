import { build } from 'vite';
import { pagesConfig } from '../../../api/web/config.mjs';

/**
 * Builds the pages with a mark around each of their texts, into the folder that is given: a text
 * without marks was forgotten.
 */

const MARKED = `
const marked = (texts) =>
  typeof texts === 'string'
    ? '⟦' + texts + '⟧'
    : typeof texts === 'function'
      ? (...given) => marked(texts(...given))
      : Array.isArray(texts)
        ? texts.map(marked)
        : texts !== null && typeof texts === 'object'
          ? Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, marked(text)]))
          : texts;
export const inLanguage = ({ en }) => marked(en);
`;

const marks = {
  name: 'marks',
  enforce: 'pre',
  transform: (code, id) => (id.endsWith('/shared/in-language.ts') ? MARKED : null),
};

await build(pagesConfig(process.argv[2], [marks]));
