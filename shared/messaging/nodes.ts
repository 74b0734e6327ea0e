import { randomInt } from 'node:crypto';

/**
 * Returns the nodes of a cluster in their order, from a random one on, so that processes spread
 * over the nodes.
 */
export function fromAnyNode(urls: readonly string[]): string[] {
  const first = randomInt(urls.length);
  return [...urls.slice(first), ...urls.slice(0, first)];
}
