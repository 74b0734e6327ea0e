import type { MessageProperties } from 'amqplib';
import { COMMANDS_MAX, contentsOf, encodeMessage } from '../../../shared/messaging/message';

const received = (content: Buffer, contentType?: string) => contentsOf({ content, properties: { contentType } as MessageProperties });
const through = (commands: readonly string[]) => {
  const { content, contentType } = encodeMessage(commands);
  return received(content, contentType);
};

describe('a message', () => {
  it('brings each of its commands as it was written', () => {
    const commands = [JSON.stringify({ text: 'a\nb\r\u2028c' }), '{}', JSON.stringify('한국어')];
    expect(through(commands)).toEqual(commands);
    expect(through(commands.slice(0, 1))).toEqual(commands.slice(0, 1));
  });

  it('with one command is plain JSON, in which somebody else may have put line breaks', () => {
    expect(encodeMessage(['{}'])).toEqual({ content: Buffer.from('{}'), contentType: 'application/json' });
    for (const contentType of ['application/json', undefined]) expect(received(Buffer.from('{\n}\n'), contentType)).toEqual(['{\n}\n']);
  });

  it('with more commands than it may have is taken as a whole', () => {
    const most = Array.from({ length: COMMANDS_MAX }, () => '{}');
    expect(through(most)).toEqual(most);
    expect(through([...most, '{}'])).toEqual([[...most, '{}'].join('\n')]);
  });
});
