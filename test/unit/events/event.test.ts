import { eventFilter } from '../../../api/events/routes';
import { decodeEvent, encodeEvent, eventMessage } from '../../../shared/messaging/event';

const event = {
  eventId: '0123.1',
  type: 'posts.post.created',
  occurredAt: new Date('2026-01-02T03:04:05.678Z'),
  aggregateId: 'post:7',
  commandId: '0123',
  data: JSON.stringify({ postId: 7, title: 'line\nends \u2028 "and" quotes', tags: [] }),
};

describe('an event as a message', () => {
  it('has exactly the members of the contract, in one line', () => {
    const data = '{"postId":7,"title":"line\\nends \u2028 \\"and\\" quotes","tags":[]}';
    expect(encodeEvent(event)).toBe(
      `{"eventId":"0123.1","type":"posts.post.created","occurredAt":"2026-01-02T03:04:05.678Z","aggregateId":"post:7","commandId":"0123","data":${data}}`,
    );
  });

  it('comes out as it went in', () => {
    const json = encodeEvent(event);
    expect(eventMessage(json)).toEqual({
      eventId: '0123.1',
      type: 'posts.post.created',
      aggregateId: 'post:7',
      json,
    });
    expect(decodeEvent(json)).toEqual(eventMessage(json));
  });

  it.each([
    ['no JSON', 'x'],
    ['no object', '[]'],
    ['null', 'null'],
    ['no id', '{"type":"a","aggregateId":"b"}'],
    ['an id that ends its line', '{"eventId":"a\\ndata: 1","type":"a","aggregateId":"b"}'],
    ['a type that ends its line', '{"eventId":"a","type":"a\\nid: 1","aggregateId":"b"}'],
    ['an aggregate that is no text', '{"eventId":"a","type":"a","aggregateId":1}'],
  ])('that is %s is none', (_what, content) => {
    expect(decodeEvent(content)).toBeNull();
  });

  it('that came in several lines goes on in one', () => {
    const json = encodeEvent(event);
    expect(decodeEvent(JSON.stringify(JSON.parse(json), null, 2))?.json).toBe(json);
  });
});

describe('the filter of a stream', () => {
  const borrow = { type: 'lending.borrow.created', aggregateId: 'book-info:42' };

  it.each([
    {},
    { type: 'lending' },
    { type: 'lending.borrow' },
    { type: 'lending.borrow.created' },
    { type: '*.borrow' },
    { type: '*.*.created' },
    { aggregateId: 'book-info:42' },
  ])('%j lets a borrow pass', (filter) => {
    expect(eventFilter(filter)(borrow)).toBe(true);
  });

  it.each([
    { type: 'posts' },
    { type: 'lend' },
    { type: 'lending.copies' },
    { type: 'borrow' },
    { type: '*.*.returned' },
    { aggregateId: 'book-info:4' },
    { type: 'lending', aggregateId: 'book-info:43' },
  ])('%j does not', (filter) => {
    expect(eventFilter(filter)(borrow)).toBe(false);
  });
});
