import { setImmediate as nextTurn } from 'node:timers/promises';
import { Parcels, type Parcel } from '../../../api/commands/parcels';
import { COMMANDS_MAX } from '../../../shared/messaging/message';

interface Item {
  readonly text: string;
}

const A = { exchange: 'commands', queue: 'a' };
const B = { exchange: 'commands', queue: 'b' };
const OLDER_A = { exchange: 'older', queue: 'a' };

function gathered() {
  const sent: Parcel<Item>[] = [];
  return { sent, parcels: new Parcels<Item>((parcel) => void sent.push(parcel)) };
}

const texts = (sent: readonly Parcel<Item>[]) =>
  sent.map(({ items }) => items.map(({ text }) => text));

describe('a parcel', () => {
  it('has all commands for its queue of one turn of the event loop, in their order, and none of the next', async () => {
    const { sent, parcels } = gathered();
    for (const [address, text] of [
      [A, '1'],
      [B, '2'],
      [A, '3'],
      [OLDER_A, '4'],
    ] as const)
      parcels.add(address, { text });
    expect(sent).toEqual([]);
    await nextTurn();
    expect(sent).toEqual([
      { ...A, items: [{ text: '1' }, { text: '3' }] },
      { ...B, items: [{ text: '2' }] },
      { ...OLDER_A, items: [{ text: '4' }] },
    ]);
    parcels.add(A, { text: '5' });
    await nextTurn();
    expect(texts(sent).at(-1)).toEqual(['5']);
  });

  it('goes at once when it is full, and the next commands follow in another', async () => {
    const { sent, parcels } = gathered();
    const all = Array.from({ length: 2 * COMMANDS_MAX + 1 }, (_, index) => String(index));
    for (const text of all) parcels.add(A, { text });
    await nextTurn();
    expect(texts(sent).map(({ length }) => length)).toEqual([COMMANDS_MAX, COMMANDS_MAX, 1]);
    expect(texts(sent).flat()).toEqual(all);
  });

  it('stays below 64 KiB, but for a command that is longer by itself', async () => {
    const { sent, parcels } = gathered();
    const [half, long] = ['한'.repeat(11_000), 'x'.repeat(100_000)];
    for (const text of [half, half, long, 'short']) parcels.add(A, { text });
    await nextTurn();
    expect(texts(sent)).toEqual([[half], [half], [long], ['short']]);
  });
});
