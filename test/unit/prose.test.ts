import { join } from 'node:path';

import { Linter, type ESLint } from 'eslint';

// eslint-disable-next-line @typescript-eslint/no-require-imports
const prose = require(join(__dirname, '../prose/code-rules.js')) as ESLint.Plugin;

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');

function findings(code: string): string[] {
  const rules = { 'prose/texts': 'error', 'prose/comments': 'error' } as const;
  const found = new Linter().verify(code, [{ plugins: { prose }, rules }]);
  return found.map(({ message }) => message);
}

describe('the lint of prose in code', () => {
  it.each([
    ['a string', `f('${words(36)}')`],
    ['a sum of strings', `f('${words(20)} ' + \`\${x} ${words(20)}\`)`],
    ['a template', `f(\`${words(18)} \${x} ${words(18)}\`)`],
    ['a comment', `/**\n * ${words(18)}\n * ${words(18)}\n */`],
    ['lines of comment', `// ${words(18)}\n// ${words(18)}`],
  ])('finds a sentence that is too long in %s', (_, code) => {
    expect(findings(code)).toEqual([expect.stringContaining('A sentence has at most 35 words')]);
  });

  it('accepts sentences of 35 words, and SQL of any length', () => {
    expect(findings(`f('${words(35)}. ${words(35)}')`)).toEqual([]);
    expect(findings(`f('SELECT ${words(60)}')`)).toEqual([]);
  });

  it('finds a line of comment that is wider than 100', () => {
    expect(findings(`// ${words(20)}`)).toEqual(['Comments wrap at 100.']);
  });

  it('finds a comment of more than ten lines', () => {
    const comment = (lines: number) => Array.from({ length: lines }, () => '// A line.').join('\n');
    expect(findings(comment(10))).toEqual([]);
    expect(findings(comment(11))).toEqual(['A comment has at most 10 lines. This one has 11.']);
  });
});
