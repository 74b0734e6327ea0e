import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutated } from '../mutations/mutation';
import { mutations } from '../mutations/mutations';
import { ROOT } from '../support/service/child';

const COMMENT = /^\s*(?:\/\*\*|\*|\/\/).*$/gm;

describe('a guard that the mutation check takes out', () => {
  it.each(mutations)('stands in its file exactly once: $guard', (mutation) => {
    expect(mutated(ROOT, mutation).after).not.toBe(mutated(ROOT, mutation).before);
  });

  it.each(mutations)('has existing tests: $guard', ({ tests, only = '' }) => {
    const source = readFileSync(join(ROOT, tests), 'utf8');
    expect(source.replaceAll(COMMENT, '').replaceAll("\\'", "'")).toContain(only);
  });

  it('has a name of its own', () => {
    expect(new Set(mutations.map(({ guard }) => guard)).size).toBe(mutations.length);
  });
});
