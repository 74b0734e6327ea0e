import type { Ask, Told } from './guide';

/**
 * The hash tag of all keys in a cluster. It keeps them on one node, because a view and its versions
 * are read in one question.
 */
export const TAG = '{lendline}';
/** The slot of a key with that tag. */
const SLOT = 7919;

/** Asks a node of a cluster for the one that has the slot. */
export const askCluster: Ask = async (client, { hostname }) => {
  const nodes = await client.sendCommand<string>(['CLUSTER', 'NODES']);
  const [owner] = nodes.split('\n').flatMap((line) => ownerIn(line, hostname));
  if (!owner) throw new Error(`no node of the cluster has slot ${SLOT}`);
  return owner;
};

/**
 * What a line of CLUSTER NODES tells of the node, when it has the slot. The line has an id, an
 * address, flags, the node that it follows, ping, pong, epoch, state and slots. The port of the bus
 * and a name may follow the address. A node that has met nobody does not know its own host.
 */
function ownerIn(line: string, asked: string): Told[] {
  const [, address = '', flags = '', , , , epoch, , ...slots] = line.split(' ');
  const [, host, port = ''] = /^(.*):(\d+)/.exec(address) ?? [];
  return flags.split(',').includes('master') && slots.some(hasSlot)
    ? [{ host: host || asked, port, path: '', epoch: Number(epoch) }]
    : [];
}

/** Of one slot, or of a range of them. A slot that is being moved stands in brackets. */
function hasSlot(text: string): boolean {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  return first !== undefined && Number(first) <= SLOT && SLOT <= Number(last);
}
