import { readFileSync } from 'node:fs';

/**
 * How many files and connections this process may have open at once, as Linux tells; Infinity
 * elsewhere. Node has raised the soft limit to the hard one when it starts.
 */
export function openFilesMax(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
