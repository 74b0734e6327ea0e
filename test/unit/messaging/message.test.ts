import type { MessageProperties } from 'amqplib';
import {
  bodiesOf,
  COMMANDS_MAX,
  commandsIn,
  encodeMessage,
} from '../../../shared/messaging/message';
import { Signatures } from '../../../shared/messaging/signature';
import { services } from '../../../shared/services';
import { TEST_SIGNATURES } from '../../support/service/signatures';

const received = (content: Buffer, contentType?: string) =>
  bodiesOf({ content, properties: { contentType } as MessageProperties }).map(String);
const through = (commands: readonly string[]) => {
  const { content, contentType } = encodeMessage(commands, TEST_SIGNATURES);
  return received(content, contentType);
};

describe('a message', () => {
  it('brings each of its commands as it was written', () => {
    const commands = [JSON.stringify({ text: 'a\nb\r\u2028c' }), '{}', JSON.stringify('한국어')];
    expect(through(commands)).toEqual(commands);
    expect(through(commands.slice(0, 1))).toEqual(commands.slice(0, 1));
  });

  it('with one command is plain JSON, in which somebody else may have put line breaks', () => {
    expect(encodeMessage(['{}'], TEST_SIGNATURES)).toMatchObject({
      content: Buffer.from('{}'),
      contentType: 'application/json',
    });
    for (const contentType of ['application/json', undefined])
      expect(received(Buffer.from('{\n}\n'), contentType)).toEqual(['{\n}\n']);
  });

  it('with more commands than it may have is taken as a whole', () => {
    const most = Array.from({ length: COMMANDS_MAX }, () => '{}');
    expect(through(most)).toEqual(most);
    expect(through([...most, '{}'])).toEqual([[...most, '{}'].join('\n')]);
  });
});

describe('the signature of a message', () => {
  const take = (
    properties: object,
    content: Buffer = Buffer.from('{}'),
    signatures = TEST_SIGNATURES,
  ) =>
    commandsIn(
      { content, properties: properties as MessageProperties },
      signatures,
      services.decode,
    )[0]?.message;
  const { content, headers } = encodeMessage(['{"commandId":1}'], TEST_SIGNATURES);
  const unsigned = { malformed: expect.stringContaining('not signed') as string, header: null };

  it('lets the commands of our own programs through', () => {
    expect(take({ headers }, content)).toMatchObject({
      malformed: expect.stringContaining('not a command') as string,
    });
  });

  it('rejects a message without one as no command', () => {
    expect(take({}, content)).toEqual(unsigned);
    expect(take({ headers: { signature: 7 } }, content)).toEqual(unsigned);
    expect(take({ headers: { signature: '' } }, content)).toEqual(unsigned);
  });

  it('covers the whole body', () => {
    expect(take({ headers }, Buffer.from('{"commandId":2}'))).toEqual(unsigned);
  });

  it('is worth nothing to another installation', () => {
    expect(take({ headers }, content, new Signatures(Buffer.alloc(32, 8)))).toEqual(unsigned);
  });

  it('is not required when the operator turns it off', () => {
    expect(take({}, content, new Signatures(Buffer.alloc(32, 8), 'ignored'))).not.toEqual(unsigned);
  });
});
