import { CloudEvent } from 'cloudevents';
import { eventFilter } from '../../../api/events/routes';
import { decodeEvent, encodeEvent, eventMessage } from '../../../shared/messaging/event';

const event = {
  eventId: '0123.1',
  type: 'posts.post.created',
  occurredAt: new Date('2026-01-02T03:04:05.678Z'),
  aggregateId: 'post:7',
  commandId: '0123',
  sequence: 3,
  traceparent: null,
  data: JSON.stringify({ postId: 7, title: 'line\nends \u2028 "and" quotes', tags: [] }),
};

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const json = JSON.stringify({
  ...{ specversion: '1.0', id: '0123.1', source: '/lendline/posts', type: event.type },
  ...{ subject: 'post:7', time: '2026-01-02T03:04:05.678Z', datacontenttype: 'application/json' },
  ...{ dataschema: 'urn:lendline:event-data:posts.post.created:1', commandid: '0123' },
  ...{ sequence: 3, traceparent, data: JSON.parse(event.data) as object },
});

describe('an event as a message', () => {
  it('is a CloudEvent, in one line', () => {
    const message = eventMessage(encodeEvent({ ...event, traceparent }));
    expect(message).toEqual({
      eventId: '0123.1',
      type: 'posts.post.created',
      aggregateId: 'post:7',
      json,
    });
    expect(new CloudEvent(JSON.parse(json) as object).validate()).toBe(true);
    expect(json).not.toContain('\n');
  });

  it('has no trace context when its request had none', () => {
    expect(JSON.parse(eventMessage(encodeEvent(event)).json)).not.toHaveProperty('traceparent');
  });

  it('comes out as it went in', () => {
    expect(decodeEvent(json)).toEqual(eventMessage(encodeEvent({ ...event, traceparent })));
  });

  it('of the release before has no number', () => {
    const line = JSON.stringify({
      ...{ ...event, data: JSON.parse(event.data) as object },
      ...{ sequence: undefined, traceparent: undefined },
    });
    expect(JSON.parse(eventMessage(line).json)).toMatchObject({ id: '0123.1', subject: 'post:7' });
    expect(JSON.parse(eventMessage(line).json)).not.toHaveProperty('sequence');
  });

  const head = { specversion: '1.0', id: 'a', type: 'a', subject: 'b' };
  it.each([
    ['no JSON', 'x'],
    ['no object', '[]'],
    ['null', 'null'],
    ['of another version', JSON.stringify({ ...head, specversion: '2.0' })],
    ['without an id', JSON.stringify({ ...head, id: undefined })],
    ['with an id that ends its line', JSON.stringify({ ...head, id: 'a\ndata: 1' })],
    ['with a type that ends its line', JSON.stringify({ ...head, type: 'a\nid: 1' })],
    ['with a subject that is no text', JSON.stringify({ ...head, subject: 1 })],
  ])('that is %s is refused', (_what, content) => {
    expect(decodeEvent(content)).toBeNull();
  });

  it('that came in several lines is sent in one', () => {
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
