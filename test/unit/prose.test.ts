import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/run/cleanup';

const OXLINT = join(__dirname, '../../node_modules/.bin/oxlint');
const CONFIG = {
  jsPlugins: [join(__dirname, '../prose/code-rules.js')],
  categories: { correctness: 'off' },
  rules: { 'prose/texts': 'error', 'prose/comments': 'error' },
};

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
const comment = (lines: number) => Array.from({ length: lines }, () => '// A line.').join('\n');

const TOO_LONG = 'A sentence has at most 35 words. This one has';
/** Code, and how each finding in it begins. */
const SAMPLES: readonly (readonly [string, code: string, ...findings: string[]])[] = [
  ['finds a sentence that is too long in a string', `f('${words(36)}')`, TOO_LONG],
  [
    'finds a sentence that is too long in a sum of strings',
    `f('${words(20)} ' + \`\${x} ${words(20)}\`)`,
    TOO_LONG,
  ],
  [
    'finds a sentence that is too long in a template',
    `f(\`${words(18)} \${x} ${words(18)}\`)`,
    TOO_LONG,
  ],
  [
    'finds a sentence that is too long in a comment',
    `/**\n * ${words(18)}\n * ${words(18)}\n */`,
    TOO_LONG,
  ],
  [
    'finds a sentence that is too long in lines of comment',
    `// ${words(18)}\n// ${words(18)}`,
    TOO_LONG,
  ],
  ['accepts sentences of 35 words', `f('${words(35)}. ${words(35)}')`],
  ['accepts SQL of any length', `f('SELECT ${words(60)}')`],
  ['finds a line of comment that is wider than 100', `// ${words(20)}`, 'Comments wrap at 100.'],
  ['accepts a comment of ten lines', comment(10)],
  [
    'finds a comment of more than ten lines',
    comment(11),
    'A comment has at most 10 lines. This one has 11.',
  ],
];

/** What is found in each sample; they are checked in one run. */
async function findings(): Promise<string[][]> {
  const folder = await temporaryFolder('prose');
  writeFileSync(join(folder, 'config.json'), JSON.stringify(CONFIG));
  for (const [index, [, code]] of SAMPLES.entries())
    writeFileSync(join(folder, `${index}.js`), code);
  const { stdout } = spawnSync(OXLINT, ['-c', 'config.json', '-f', 'json', '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { filename: string; message: string }[];
  };
  return SAMPLES.map((_, index) =>
    diagnostics.filter(({ filename }) => filename === `${index}.js`).map(({ message }) => message),
  );
}

describe('the lint of prose in code', () => {
  let found: string[][] = [];
  beforeAll(async () => {
    found = await findings();
  });

  it.each(SAMPLES.map(([rule, , ...expected], index) => ({ rule, expected, index })))(
    '$rule',
    ({ expected, index }) => {
      expect(found[index]).toEqual(expected.map((text) => expect.stringContaining(text)));
    },
  );
});
