import type { Message } from 'amqplib';

/**
 * A message in the queue of a partition: one command as JSON, or several, each on a line of its own, which the API had at
 * the same moment. For broker and worker a message costs the same, whatever it carries.
 */

const ONE = 'application/json';
const SEVERAL = 'application/x-ndjson';

/** Most commands in one message. */
export const COMMANDS_MAX = 32;

/** The body and the content type of a message with these commands, as `encodeEnvelope` wrote them. */
export function encodeMessage(commands: readonly string[]): { readonly content: Buffer; readonly contentType: string } {
  return { content: Buffer.from(commands.join('\n')), contentType: commands.length === 1 ? ONE : SEVERAL };
}

/** The commands of a message, for `decodeEnvelope`. More than there may be stay together, and are no command then. */
export function contentsOf({ content, properties }: Pick<Message, 'content' | 'properties'>): string[] {
  const text = content.toString();
  if (properties.contentType !== SEVERAL) return [text];
  const commands = text.split('\n');
  return commands.length > COMMANDS_MAX ? [text] : commands;
}
