import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mutated } from '../mutations/mutation';
import { mutations } from '../mutations/mutations';
import { ROOT } from '../support/service/child';

describe('a guard that the mutation check takes out', () => {
  it.each(mutations)('stands in its file exactly once: $guard', (mutation) => {
    expect(mutated(ROOT, mutation).after).not.toBe(mutated(ROOT, mutation).before);
  });

  it.each(mutations)('has tests that are there: $guard', ({ tests }) => {
    expect(existsSync(join(ROOT, tests))).toBe(true);
  });

  it('has a name of its own', () => {
    expect(new Set(mutations.map(({ guard }) => guard)).size).toBe(mutations.length);
  });
});
