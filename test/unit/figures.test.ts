import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service/child';

/** The tables of a part of a page: cells by row. */
function rowsOf(page: string, heading: string): string[][] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const part = text.slice(text.indexOf(`# ${heading}\n`));
  const table = /(?:^\|.*\n)+/m.exec(part)?.[0] ?? '';
  return table
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('|-'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** The others are rivals. */
const NO_RIVALS = ['Lendline', 'embedded', 'bare Express'];

/** Successes per second of a subject, of `rate / median / p99`. */
function measured(work: string, clients: string, subject: string): string | undefined {
  const [head = [], ...rows] = rowsOf('docs/performance.md', work);
  const rates = new Map(
    rows.map((cells) => [cells[0] ?? '', cells[head.indexOf(clients)]?.split(' / ')[0] ?? '']),
  );
  if (subject !== 'best rival') return rates.get(subject);
  const rivals = [...rates].filter(([name]) => !NO_RIVALS.includes(name));
  return String(Math.max(...rivals.map(([, rate]) => Number(rate))));
}

it('repeats in the README the figures of docs/performance.md', () => {
  const [[, ...subjects] = [], ...rows] = rowsOf('README.md', 'Why a queue');
  expect(rows.length).toBeGreaterThan(2);
  for (const [load = '', ...rates] of rows) {
    const [, work = '', clients = ''] = /^(.*), (\d+) clients?$/.exec(load) ?? [];
    const heading = work.charAt(0).toUpperCase() + work.slice(1);
    expect([load, ...rates]).toEqual([
      load,
      ...subjects.map((subject) => measured(heading, clients, subject.replaceAll('`', ''))),
    ]);
  }
});
