import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODEL } from '../model/model';
import { REMOVED } from '../model/variants';
import { ROOT } from '../support/service/child';

/** The model of the pipeline speaks of code that there is. */

const lines = readFileSync(MODEL, 'utf8').split('\n');
const TRANSITION = /^\t:: (?:d_step|atomic|timeout)/;
const MODELS = /models: (?:(\S+\.ts) (\w+)|(?:MySQL|RabbitMQ) itself)/;

/** The lines of the processes that stand for code; what goes wrong is nobody's code. */
const processes = (): number[] => {
  const named = lines.flatMap((line, index) => (/^proctype (?!Faults)/.test(line) ? [index] : []));
  return named.flatMap((start) =>
    lines.slice(start, lines.indexOf('}', start)).map((_line, index) => start + index),
  );
};

/** The comment above a transition, or above the others of its group. */
function commentOf(transition: number): string {
  for (let index = transition - 1; ; index -= 1) {
    const line = lines[index] ?? '';
    if (!TRANSITION.test(line) && !/^(?:#|\t\tendConnection)/.test(line)) return line;
  }
}

describe('the model of the pipeline', () => {
  const transitions = processes().filter((index) => TRANSITION.test(lines[index] ?? ''));

  it('names, at each transition, what it stands for', () => {
    expect(
      transitions.filter((index) => !MODELS.test(commentOf(index))).map((index) => lines[index]),
    ).toEqual([]);
    expect(transitions.length).toBeGreaterThan(20);
  });

  it('names only functions that are in the files named', () => {
    const named = lines.flatMap((line) => [...(MODELS.exec(line) ?? [])].slice(1)).filter(Boolean);
    const pairs = Array.from(
      { length: named.length / 2 },
      (_, index) => named.slice(2 * index, 2 * index + 2) as [string, string],
    );
    const missing = pairs.filter(([file, name]) => {
      const path = join(ROOT, file);
      return (
        !existsSync(path) ||
        !new RegExp(`\\b${name}\\s*(?:[(<:]|=\\s*(?:async\\s*)?[(<])`).test(
          readFileSync(path, 'utf8'),
        )
      );
    });
    expect(missing).toEqual([]);
    expect(pairs.length).toBeGreaterThan(15);
  });

  it('knows each guard that can be taken out, and no other', () => {
    const known = new Set(lines.flatMap((line) => /^#ifn?def (\w+)/.exec(line)?.[1] ?? []));
    const bounds = ['FAULTS', 'LOST_CONFIRMS', 'NO_LATE_WORKER'];
    expect([...known].filter((name) => !bounds.includes(name)).sort()).toEqual(
      REMOVED.map(({ definition }) => definition).sort(),
    );
  });
});
