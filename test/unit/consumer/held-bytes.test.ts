import { HeldBytes, type Holder } from '../../../workers/consumer/held-bytes';

describe('the bytes that a worker holds', () => {
  class Partition implements Holder {
    reduced = 0;
    constructor(public heldBytes: number) {}
    holdFew(): void {
      this.reduced += 1;
      this.heldBytes = 0;
    }
  }

  it('are given back by the partition with most of them, and by no other when that is enough', () => {
    const [small, large, largest] = [new Partition(10), new Partition(300), new Partition(500)];
    const held = new HeldBytes(800);
    for (const partition of [small, large, largest]) held.grew(partition);
    expect([small, large, largest].map(({ reduced }) => reduced)).toEqual([0, 0, 1]);
  });

  it('are left where they are up to the limit', () => {
    const partitions = [new Partition(300), new Partition(500)];
    const held = new HeldBytes(800);
    for (const partition of partitions) held.grew(partition);
    expect(partitions.map(({ reduced }) => reduced)).toEqual([0, 0]);
  });
});
