import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, run } from '../support/child';
import { startEmbedded } from '../support/processes';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The first block of a language after a heading. */
function blockAfter(heading: string, language: string): string {
  const section = readme.slice(readme.indexOf(`## ${heading}`));
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';
}

/** What the README asks of curl, done by Node: a machine that runs the tests need not have curl. */
const CURL = `curl() { node -e '
  const [, url, ...options] = process.argv.slice(1);
  const given = (name) => options.flatMap((option, index) => (options[index - 1] === name ? [option] : []));
  const headers = Object.fromEntries(given("-H").map((header) => header.split(": ")));
  fetch(url, { method: "POST", headers, body: given("-d")[0] }).then(async (answer) => console.log(await answer.text()));
' -- "$@"; }`;

describe('the README', () => {
  it('shows a borrow that works as it stands, with the answer that it gets', async () => {
    const { url, dataDir } = await startEmbedded({ env: { ADMIN_USERNAME: '', ADMIN_PASSWORD: '', JWT_SECRET: '' } });
    const script = blockAfter('One borrow', 'sh').replaceAll('http://127.0.0.1:3000', url);
    const output = await run({ name: 'README', command: 'bash', args: ['-ec', `${CURL}\n${script}`], env: { DATA_DIR: dataDir } }, 60_000);
    const answers = output.split(/(?<=\})(?=\{)|\n/).filter((line) => line.startsWith('{'));
    const timeless = (text: string) => ({ ...(JSON.parse(text) as object), borrowedAt: 'then', dueAt: 'later' });
    expect(timeless(answers.at(-1) ?? '')).toEqual(timeless(blockAfter('One borrow', 'json')));
  });
});

/** README, CONTRIBUTING and all pages in docs. */
const pages = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');

  it('links to files that exist', () => {
    const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? '').filter((target) => !target.startsWith('http'));
    expect(links.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });

  it('names tests that exist', () => {
    const tests = [...text.matchAll(/`(test\/[a-z-]+\/[^`]+)`/g)].map(([, path]) => path ?? '');
    expect(tests.filter((path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, `${path}.test.ts`)))).toEqual([]);
  });
});
