import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../service/child';

/** The commands of a page of the docs, and what the page says that they print. */

/** How long all commands of a page may take, milliseconds. */
const PAGE_MS = 120_000;
const CURL = `curl() { node '${join(ROOT, 'test/support/clients/curl.js')}' "$@"; }`;
/** Stands between what two blocks print. */
const MARK = '--- end of a block ---';

export interface Step {
  readonly script: string;
  /**
   * The block that follows the commands: `json`, `http` or `text`; null when the page shows no
   * output.
   */
  readonly shown: { readonly language: string; readonly text: string } | null;
}

/**
 * Returns the blocks of commands of a page from one heading to another, each with the output that
 * follows it.
 */
export function stepsOf(page: string, from: string, to: string): Step[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const part = text.slice(text.indexOf(`\n## ${from}\n`), text.indexOf(`\n## ${to}\n`));
  const blocks = [...part.matchAll(/```(\w+)\n([\s\S]*?)```/g)];
  return blocks.flatMap(([, language, script = ''], index): Step[] => {
    if (language !== 'sh') return [];
    const [, next = '', output = ''] = blocks[index + 1] ?? [];
    return [
      {
        script,
        shown: ['json', 'http', 'text'].includes(next) ? { language: next, text: output } : null,
      },
    ];
  });
}

/** Runs the blocks in one shell, and returns what each of them printed. */
export async function runSteps(
  steps: readonly Step[],
  url: string,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const script = steps
    .map((step) => `${step.script}\necho; echo '${MARK}'`)
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', url);
  const output = await run(
    { name: 'docs', command: 'bash', args: ['-ec', `${CURL}\n${script}`], env },
    PAGE_MS,
  );
  return output.split(MARK).slice(0, -1);
}

/** Replaces what differs from run to run. */
function timeless(text: string): string {
  return text
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT')
    .replace(/\b\d{4}-\d\d-\d\d\b/g, 'DATE')
    .replace(/[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}/g, 'TOKEN')
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'REQUEST')
    .replace(/\b[0-9a-f]{40}\b/g, 'COMMAND')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:3000');
}

/** Returns the last line of an output that is JSON. */
function lastJson(output: string): unknown {
  const line = output
    .split(/(?<=[}\]])(?=[{[])|\n/)
    .filter((part) => /^\s*[[{]/.test(part))
    .at(-1);
  return line === undefined ? undefined : JSON.parse(line);
}

/** Lines as they are compared: names of headers in lower case, no blank ones. */
const linesOf = (text: string): string[] =>
  timeless(text)
    .split('\n')
    .map((line) => line.trim().replace(/^[A-Z][\w-]+:/, (name) => name.toLowerCase()))
    .filter(Boolean);

/** Returns what the page shows, and what was printed of it: equal when the page is right. */
export function compared(
  { shown }: Step,
  output: string,
): { readonly shown: unknown; readonly printed: unknown } | null {
  if (!shown) return null;
  if (shown.language === 'json')
    return {
      shown: JSON.parse(timeless(shown.text)),
      printed: JSON.parse(timeless(JSON.stringify(lastJson(output)))),
    };
  const printed = linesOf(output);
  // A page shows the headers that it speaks of and leaves the others out.
  return {
    shown: linesOf(shown.text),
    printed:
      shown.language === 'http'
        ? linesOf(shown.text).filter((line) => printed.includes(line))
        : printed,
  };
}
