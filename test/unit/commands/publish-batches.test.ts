import { setImmediate as nextTurn } from 'node:timers/promises';
import { PublishBatches, type PublishBatch } from '../../../api/commands/broker/publish-batches';
import { COMMANDS_MAX } from '../../../shared/messaging/message';

interface Item {
  readonly text: string;
}

const A = { exchange: 'commands', queue: 'a' };
const B = { exchange: 'commands', queue: 'b' };
const OLDER_A = { exchange: 'older', queue: 'a' };

function gathered() {
  const sent: PublishBatch<Item>[] = [];
  return { sent, batches: new PublishBatches<Item>((batch) => void sent.push(batch)) };
}

const texts = (sent: readonly PublishBatch<Item>[]) =>
  sent.map(({ items }) => items.map(({ text }) => text));

describe('a publish batch', () => {
  it('has all commands for its queue of one turn of the event loop, in their order, and none of the next', async () => {
    const { sent, batches } = gathered();
    for (const [address, text] of [
      [A, '1'],
      [B, '2'],
      [A, '3'],
      [OLDER_A, '4'],
    ] as const)
      batches.add(address, { text });
    expect(sent).toEqual([]);
    await nextTurn();
    expect(sent).toEqual([
      { ...A, items: [{ text: '1' }, { text: '3' }] },
      { ...B, items: [{ text: '2' }] },
      { ...OLDER_A, items: [{ text: '4' }] },
    ]);
    batches.add(A, { text: '5' });
    await nextTurn();
    expect(texts(sent).at(-1)).toEqual(['5']);
  });

  it('goes at once when it is full, and the next commands follow in another', async () => {
    const { sent, batches } = gathered();
    const all = Array.from({ length: 2 * COMMANDS_MAX + 1 }, (_, index) => String(index));
    for (const text of all) batches.add(A, { text });
    await nextTurn();
    expect(texts(sent).map(({ length }) => length)).toEqual([COMMANDS_MAX, COMMANDS_MAX, 1]);
    expect(texts(sent).flat()).toEqual(all);
  });

  it('stays below 64 KiB, unless a single command is longer', async () => {
    const { sent, batches } = gathered();
    const [half, long] = ['한'.repeat(11_000), 'x'.repeat(100_000)];
    for (const text of [half, half, long, 'short']) batches.add(A, { text });
    await nextTurn();
    expect(texts(sent)).toEqual([[half], [half], [long], ['short']]);
  });
});
