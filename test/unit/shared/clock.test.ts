import { narrowed } from '../../../shared/database/clock';

describe('what is known of the clock of the database', () => {
  it('is what all answers allow, however slow some of them were', () => {
    const quick = { low: 100, high: 102, at: 1000 };
    const slow = { low: 60, high: 140, at: 1000 };
    expect(narrowed(quick, slow)).toEqual(quick);
    expect(narrowed(slow, quick)).toEqual(quick);
    expect(narrowed(quick, { low: 101, high: 160, at: 1000 })).toEqual({
      low: 101,
      high: 102,
      at: 1000,
    });
  });

  it('becomes less with the time, because clocks drift apart', () => {
    expect(narrowed({ low: 100, high: 102, at: 0 }, { low: 60, high: 140, at: 10_000 })).toEqual({
      low: 99,
      high: 103,
      at: 10_000,
    });
  });

  it('is the last answer alone, when that clock was set meanwhile', () => {
    const after = { low: 3_600_100, high: 3_600_180, at: 10_000 };
    expect(narrowed({ low: 100, high: 102, at: 0 }, after)).toEqual(after);
    const back = { low: -500, high: -490, at: 10_000 };
    expect(narrowed({ low: 100, high: 102, at: 0 }, back)).toEqual(back);
  });
});
