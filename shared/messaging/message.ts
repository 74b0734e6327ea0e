import type { Message } from 'amqplib';
import type { Services } from '../service';
import type { DecodedMessage } from './envelope';
import type { Signatures } from './signature';

/**
 * A message in the queue of a partition: one command as JSON, or several of the same moment, one a
 * line. A message costs broker and worker the same, however many commands it carries.
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

/** Returns a signed message with these commands, which `encodeEnvelope` wrote. */
export function encodeMessage(commands: readonly string[], signatures: Signatures): EncodedMessage {
  const content = Buffer.from(commands.join('\n'));
  const contentType = commands.length === 1 ? ONE : SEVERAL;
  return { content, contentType, headers: signatures.headers(content) };
}

const UNSIGNED: DecodedMessage = {
  malformed: 'the message is not signed by a program of this installation',
  header: null,
};

/**
 * A command as it came. It holds only the bytes, outside of the heap, until the content is read.
 */
export class ReceivedCommand {
  private decoded: DecodedMessage | null = null;

  constructor(
    private readonly body: Buffer,
    private readonly decode: Services['decode'],
    private readonly isSigned = true,
  ) {}

  get bytes(): number {
    return this.body.length;
  }

  get content(): string {
    return this.body.toString();
  }

  get message(): DecodedMessage {
    return (this.decoded ??= this.isSigned ? this.decode(this.content) : UNSIGNED);
  }
}

/** Returns the commands of a message. Without a valid signature, the result is no command. */
export function commandsIn(
  message: MessageParts,
  signatures: Signatures,
  decode: Services['decode'],
): ReceivedCommand[] {
  const isSigned = signatures.accepts(message.content, message.properties.headers);
  return bodiesOf(message).map((body) => new ReceivedCommand(body, decode, isSigned));
}

type MessageParts = Pick<Message, 'content' | 'properties'>;

/**
 * Returns the bodies of a message's commands. Beyond the maximum, they stay together and are no
 * command.
 */
export function bodiesOf({ content, properties }: MessageParts): Buffer[] {
  if (properties.contentType !== SEVERAL) return [content];
  const bodies: Buffer[] = [];
  for (let start = 0; start <= content.length && bodies.length <= COMMANDS_MAX;) {
    const end = content.indexOf('\n', start);
    bodies.push(content.subarray(start, end === -1 ? content.length : end));
    start = end === -1 ? content.length + 1 : end + 1;
  }
  return bodies.length > COMMANDS_MAX ? [content] : bodies;
}
