import type { Message } from 'amqplib';
import { decodeEnvelope, type DecodedMessage } from './envelope';
import type { Signatures } from './signature';

/**
 * A message in the queue of a partition: one command as JSON, or several, each on a line of its own, which the API had at
 * the same moment. For broker and worker a message costs the same, whatever it carries.
 */

const ONE = 'application/json';
const SEVERAL = 'application/x-ndjson';

/** Most commands in one message. */
export const COMMANDS_MAX = 32;

export interface EncodedMessage {
  readonly content: Buffer;
  readonly contentType: string;
  readonly headers: Record<string, string>;
}

/** A signed message with these commands, as `encodeEnvelope` wrote them. */
export function encodeMessage(commands: readonly string[], signatures: Signatures): EncodedMessage {
  const content = Buffer.from(commands.join('\n'));
  const contentType = commands.length === 1 ? ONE : SEVERAL;
  return { content, contentType, headers: signatures.headers(content) };
}

/** A command as it came, and as it is understood. */
export interface ReceivedCommand {
  readonly content: string;
  readonly message: DecodedMessage;
}

const UNSIGNED: DecodedMessage = {
  malformed: 'the message is not signed by a program of this installation',
  header: null,
};

/** The commands of a message; of one without a valid signature, what is no command. */
export function commandsIn(message: MessageParts, signatures: Signatures): ReceivedCommand[] {
  const signed = signatures.accepts(message.content, message.properties.headers);
  return contentsOf(message).map((content) => ({
    content,
    message: signed ? decodeEnvelope(content) : UNSIGNED,
  }));
}

type MessageParts = Pick<Message, 'content' | 'properties'>;

/** The texts of a message's commands. More than there may be stay together, and are no command. */
export function contentsOf({ content, properties }: MessageParts): string[] {
  const text = content.toString();
  if (properties.contentType !== SEVERAL) return [text];
  const commands = text.split('\n');
  return commands.length > COMMANDS_MAX ? [text] : commands;
}
