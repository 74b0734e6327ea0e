import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service/child';
import { PROGRAMS, SECTIONS } from './programs';
import { settingOf, type Setting } from './setting';

/** The files that tell people of every setting, made of the schemas that read them. */

/** Longest line, characters. */
const WIDTH = 100;

interface Section {
  readonly title: string;
  readonly settings: readonly Setting[];
}

/** The variables without which Docker Compose starts nothing. */
function requiredByCompose(): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
  return new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name));
}

const readersOf = (name: string): string[] =>
  Object.entries(PROGRAMS).flatMap(([program, variables]) => (name in variables ? [program] : []));

/** Every setting once: first what Docker Compose requires, then section by section. */
export function sections(): readonly Section[] {
  const secrets = requiredByCompose();
  const told = new Set<string>();
  const all = SECTIONS.map(([title, variables]) => {
    const settings = Object.entries(variables)
      .filter(([name]) => !told.has(name))
      .map(([name, schema]) => settingOf(name, schema, readersOf(name)));
    for (const { name } of settings) told.add(name);
    return { title, settings };
  });
  const required = all.flatMap(({ settings }) => settings).filter(({ name }) => secrets.has(name));
  const others = all.map(({ title, settings }) => ({
    title,
    settings: settings.filter(({ name }) => !secrets.has(name)),
  }));
  return [
    { title: 'Secrets: Docker Compose starts nothing without these', settings: required },
    ...others,
  ].filter(({ settings }) => settings.length > 0);
}

/** A comment of lines that are not too long. */
function comment(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length + 3 <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(` ${word}`);
  }
  return lines.map((line) => `#${line}`).join('\n');
}

const sentence = (label: string, text: string): string => (text ? ` ${label}: ${text}.` : '');

function example(
  { name, description, bounds, fallback, value, programs }: Setting,
  required: boolean,
): string {
  const more =
    sentence('Values', bounds) +
    sentence('Default', fallback) +
    sentence('Read by', programs.join(', '));
  return `${comment(`${description}${more}`)}\n${required ? '' : '# '}${name}=${required ? '' : value}\n`;
}

/** The text of `.env.example`. */
function envExample(): string {
  const head = `# Every setting: made by \`npm run settings\` of the schemas that read them. Do not edit.
# Docker Compose reads a file .env beside docker-compose.yml. For the npm scripts, export what you
# change:  set -a; . ./.env; set +a
# An empty value counts as absent. A bad value stops the start, and every culprit is named.
`;
  const body = sections().map(
    ({ title, settings }, index) =>
      `\n# ---- ${title}\n\n${settings.map((setting) => example(setting, index === 0)).join('\n')}`,
  );
  return head + body.join('');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('*', '\\*');

/** The text of `docs/configuration.md`. */
function configurationPage(): string {
  const head = `# Configuration

Settings are environment variables. An empty value counts as absent. A bad value stops the start,
and the error names every culprit. \`npm run settings\` makes this page and
[.env.example](../.env.example) of the schemas that read them.

"Read by" names npm scripts. \`start\` is the embedded default, \`start:api\` and \`start:worker\` run on
servers, and \`ops\` stands for the operator's commands and \`migrate\`. What is open on loopback and
beyond: [security.md](security.md#on-loopback-and-beyond).
`;
  const row = ({ name, description, bounds, fallback, programs }: Setting) =>
    `| \`${name}\` | ${[description, bounds, fallback, programs.join(', ')].map(cell).join(' | ')} |\n`;
  const body = sections().map(
    ({ title, settings }) =>
      `\n## ${title}\n\n| name | meaning | unit, bounds | default | read by |\n|---|---|---|---|---|\n${settings.map(row).join('')}`,
  );
  return head + body.join('');
}

/** The files, by their path. */
export const FILES: Readonly<Record<string, () => string>> = {
  '.env.example': envExample,
  'docs/configuration.md': configurationPage,
};
