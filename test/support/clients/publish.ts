import { connect } from 'amqplib';
import { encodeMessage } from '../../../shared/messaging/message';
import type { Environment } from '../service/processes';
import { signaturesOf, TEST_SIGNATURES } from '../service/signatures';

export interface PublishOptions {
  readonly headers?: Record<string, string>;
  /** By the installation unless false: then somebody who lacks its secret publishes. */
  readonly signed?: boolean;
}

/** Puts messages, each with its commands, into a queue past the API. */
export async function publish(
  env: Environment,
  queue: string,
  messages: readonly (readonly string[])[],
  { headers = {}, signed = true }: PublishOptions = {},
): Promise<void> {
  const signatures = signed ? await signaturesOf(env) : TEST_SIGNATURES;
  const connection = await connect(env.RABBITMQ_URL ?? '');
  const channel = await connection.createConfirmChannel();
  for (const commands of messages) {
    const { content, contentType, headers: own } = encodeMessage(commands, signatures);
    channel.sendToQueue(queue, content, {
      persistent: true,
      contentType,
      headers: { ...own, ...headers },
    });
  }
  await channel.waitForConfirms();
  await connection.close();
}
