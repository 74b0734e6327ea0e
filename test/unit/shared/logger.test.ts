import { pino, type DestinationStream } from 'pino';
import { createLogger } from '../../../shared/logger';

it('programs log to standard output', () => {
  const { [pino.symbols.streamSym]: stream } = createLogger('lendline', 'info') as unknown as {
    readonly [key: symbol]: DestinationStream & { readonly fd: number };
  };
  expect(stream?.fd).toBe(process.stdout.fd);
});
