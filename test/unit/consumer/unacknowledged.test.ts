import { Unacknowledged } from '../../../workers/consumer/unacknowledged';

describe('a message that is not acknowledged yet', () => {
  it('is done when its last command is, together with those before it', () => {
    const messages = new Unacknowledged();
    expect([
      messages.add(11, 1, 100),
      messages.add(12, 3, 100),
      messages.add(13, 2, 100),
      messages.add(14, 1, 100),
    ]).toEqual([1, 2, 5, 7]);
    expect([1, 2, 3, 4].map((place) => messages.done(place))).toEqual([11, null, null, 12]);
    expect(messages.done(5)).toBeNull();
    expect(messages.done(7)).toBe(14);
    expect(messages.done(7)).toBeNull();
  });

  it('continues counting after the finished ones', () => {
    const messages = new Unacknowledged();
    messages.add(1, 2, 100);
    expect(messages.done(2)).toBe(1);
    expect(messages.add(2, 2, 100)).toBe(3);
    expect(messages.done(2)).toBeNull();
    expect(messages.done(4)).toBe(2);
  });

  it('counts with its bytes until it is done', () => {
    const messages = new Unacknowledged();
    messages.add(1, 2, 700);
    messages.add(2, 1, 30);
    expect(messages.bytes).toBe(730);
    messages.done(1);
    expect(messages.bytes).toBe(730);
    messages.done(2);
    expect(messages.bytes).toBe(30);
    messages.done(3);
    expect(messages.bytes).toBe(0);
  });
});
