/**
 * RabbitMQ's management API: it makes virtual hosts, and shows queues and consumers as an operator
 * sees them.
 */

/** How long a call may take, milliseconds. */
const CALL_MS = 30_000;

/** Returns the parsed answer; anything but 2xx rejects. */
export async function callManagement(
  managementUrl: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const { username, password, origin } = new URL(managementUrl);
  const credentials = `${decodeURIComponent(username) || 'guest'}:${decodeURIComponent(password) || 'guest'}`;
  const answer = await fetch(`${origin}${path}`, {
    method,
    // A connection each time: the broker closes one that is idle, perhaps in the moment in which it
    // is used again.
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/json',
      connection: 'close',
    },
    signal: AbortSignal.timeout(CALL_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok)
    throw new Error(`RabbitMQ management: ${method} ${path} answered ${answer.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/**
 * Returns the management API of a broker: RABBITMQ_MANAGEMENT_URL, or the usual port of the same
 * host. Null when there is none, or when its user may not make virtual hosts.
 */
export async function findManagement(rabbitmqUrl: string): Promise<string | null> {
  const { username, password, hostname } = new URL(rabbitmqUrl);
  const usual = Object.assign(new URL(`http://${hostname}:15672`), { username, password });
  const url = process.env.RABBITMQ_MANAGEMENT_URL ?? usual.href;
  // Making one and removing it is the only sure way to learn whether that is allowed.
  const path = `/api/vhosts/lendline_test_${process.pid}_${Date.now().toString(36)}`;
  try {
    await callManagement(url, 'PUT', path);
    await callManagement(url, 'DELETE', path);
    return url;
  } catch {
    return null;
  }
}
