import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service/child';

const { FAULTS } = jest.requireActual<{ FAULTS: Record<string, string> }>('../support/run/faults');

/** The numbers in the fault table of docs/guarantees.md, in the order of the page. */
function documented(): number[] {
  const page = readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8');
  return [...page.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
}

it('documents every fault that the tests inject, once', () => {
  expect(documented().sort((a, b) => a - b)).toEqual(Object.keys(FAULTS).map(Number));
});
