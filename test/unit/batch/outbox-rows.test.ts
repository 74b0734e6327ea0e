import { encodeEvent, eventMessage, type PublishedEvent } from '../../../shared/messaging/event';
import { messagesIn, outboxRows } from '../../../workers/batch/outbox-rows';
import { eventsIn } from '../../support/servers/outbox';

const NOW = new Date('2026-01-02T03:04:05.678Z');
/** Most events in a row. */
const EVENTS_MAX = 50;
/** Two of them are longer than a row may be, which is 256 Ki characters. */
const LONG = 'x'.repeat(150_000);

const event = (index: number, text = ''): PublishedEvent => ({
  eventId: `e${index}`,
  type: 'test.thing.changed',
  occurredAt: NOW,
  aggregateId: 'thing:1',
  commandId: 'c',
  sequence: index,
  traceparent: null,
  data: JSON.stringify({ text }),
});
const idsOf = (rows: ReturnType<typeof outboxRows>) =>
  rows.map((row) => eventsIn([row]).map(({ eventId }) => eventId));

describe('the rows of the outbox', () => {
  it('are none for no events', () => {
    expect(outboxRows([], NOW)).toEqual([]);
  });

  it('hold many events each, in their order', () => {
    const events = Array.from({ length: 2 * EVENTS_MAX + 1 }, (_, index) => event(index));
    const rows = idsOf(outboxRows(events, NOW));
    expect(rows.map((ids) => ids.length)).toEqual([EVENTS_MAX, EVENTS_MAX, 1]);
    expect(rows.flat()).toEqual(events.map(({ eventId }) => eventId));
  });

  it('are read as the messages for their events', () => {
    const rows = outboxRows([event(1), event(2)], NOW);
    expect(rows.flatMap(messagesIn)).toEqual(
      [event(1), event(2)].map((one) => eventMessage(encodeEvent(one))),
    );
  });

  it('hold fewer when those are long, and a longer one alone', () => {
    const events = [
      event(1),
      event(2, LONG),
      event(3, LONG),
      event(4),
      event(5, LONG.repeat(2)),
      event(6),
    ];
    expect(idsOf(outboxRows(events, NOW))).toEqual([['e1', 'e2'], ['e3', 'e4'], ['e5'], ['e6']]);
  });
});
