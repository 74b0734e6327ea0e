import { shownContent } from '../../../shared/database/dead-letters';

describe('a dead letter that is shown', () => {
  const shown = (content: unknown): string =>
    JSON.stringify(shownContent(typeof content === 'string' ? content : JSON.stringify(content)));

  it.each([
    ['a member', { payload: { password: 'hunter2' } }],
    ['a member of a list', { payload: [{ accessToken: 'hunter2' }] }],
    [
      'a string that is JSON',
      { payload: { text: JSON.stringify({ user: 'a', password: 'hunter2' }) } },
    ],
    [
      'JSON in a string of JSON',
      { payload: { text: JSON.stringify({ inner: JSON.stringify([{ secret: 'hunter2' }]) }) } },
    ],
    ['a string with a piece of JSON', { payload: { text: 'sent: {"token": "hunter2", "more"' } }],
    ['a message that is no JSON', '{"password":"hunter2","cut'],
  ])('hides a secret in %s', (_where, content) => {
    expect(shown(content)).not.toContain('hunter2');
    expect(shown(content)).toContain('***');
  });

  it('shows other strings as they are', () => {
    const content = { payload: { text: '[not JSON', list: '[1,  2]', title: '{braces}' } };
    expect(shownContent(JSON.stringify(content))).toEqual({ message: content });
  });
});
