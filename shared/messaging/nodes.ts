import { randomInt } from 'node:crypto';

/**
 * The nodes of a cluster in their order, beginning with any of them: so processes are spread over
 * the nodes.
 */
export function fromAnyNode(urls: readonly string[]): string[] {
  const first = randomInt(urls.length);
  return [...urls.slice(first), ...urls.slice(0, first)];
}
