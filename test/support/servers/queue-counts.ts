import amqp from 'amqplib';

/**
 * Counts what waits in queues whose numbers the management API does not show, which it may forget
 * when a cluster was split.
 */
export async function countMessages(
  url: string,
  names: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  if (names.length === 0) return found;
  const connection = await amqp.connect(url);
  // A queue that cannot be counted closes the connection, and is counted with the next look.
  connection.on('error', () => undefined);
  try {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    for (const name of names) found.set(name, (await channel.checkQueue(name)).messageCount);
  } finally {
    await connection.close();
  }
  return found;
}
