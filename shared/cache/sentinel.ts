import type { Ask } from './guide';

/** Asks a Sentinel for the primary of the name in its URL. */
export const askSentinel: Ask = async (client, { pathname }) => {
  const [, name = '', database = ''] = pathname.split('/');
  const facts = factsOf(await client.sendCommand(['SENTINEL', 'MASTER', decodeURIComponent(name)]));
  return {
    host: facts['ip'] ?? '',
    port: facts['port'] ?? '',
    path: `/${database}`,
    epoch: Number(facts['config-epoch']),
  };
};

/** A map, which RESP2 sends as a list of keys and values. */
function factsOf(answer: unknown): Readonly<Record<string, string | undefined>> {
  if (!Array.isArray(answer)) return answer as Record<string, string>;
  const list = answer as string[];
  return Object.fromEntries(
    list.flatMap((key, index) => (index % 2 === 0 ? [[key, list[index + 1] ?? '']] : [])),
  );
}
