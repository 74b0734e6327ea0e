import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../support/service/child';
import { compared, runSteps, stepsOf } from '../../support/clients/documented-commands';
import { startEmbedded } from '../../support/service/processes';

/** The pages whose commands are run, and the headings between which they stand. */
const RUN = [
  ['README.md', 'Borrow a book', 'Why a queue'],
  ['docs/quick-start.md', 'Two readers, one copy', 'Stop and start over'],
  ['docs/api-guide.md', 'Prepare', 'Overload'],
  ['docs/first-program.md', 'Install the client', 'Next steps'],
] as const;

/** How long the commands of a page may take on a busy machine, milliseconds. */
const COMMANDS_MS = 400_000;

describe.each(RUN)('%s', (page, from, to) => {
  const run = async () => {
    const { url, dataDir } = await startEmbedded({
      env: {
        ...{ ADMIN_USERNAME: '', ADMIN_PASSWORD: '', JWT_SECRET: '' },
        WEBHOOK_ALLOW_PRIVATE: 'true',
      },
    });
    const steps = stepsOf(page, from, to);
    expect(steps.length).toBeGreaterThan(0);
    const outputs = await runSteps(steps, url, { DATA_DIR: dataDir });
    for (const [index, step] of steps.entries()) {
      const output = compared(step, outputs[index] ?? '');
      expect({ script: step.script, output: output?.printed }).toEqual({
        script: step.script,
        output: output?.shown,
      });
    }
  };
  it('shows commands that run as written, with the output that they print', run, COMMANDS_MS);
});

/** README, CONTRIBUTING and all pages in docs. */
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

// Lint checks links and anchors of all pages but the few that .markdownlint-cli2.jsonc excepts.
it.each(pages)('%s links to files that exist', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !target.startsWith('http'));
  expect(links.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
});

it.each(pages)('%s names tests that exist', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const tests = [...text.matchAll(/`(test\/[a-z-]+\/[^`]+)`/g)].map(([, path]) => path ?? '');
  expect(
    tests.filter(
      (path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, `${path}.test.ts`)),
    ),
  ).toEqual([]);
});
