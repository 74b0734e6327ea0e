import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface Mail {
  readonly to: string;
  readonly content: string;
}

/** A mail server that keeps accepted mails, and refuses chosen receivers. */
export class MailServer {
  readonly mails: Mail[] = [];
  /** What it answers to a receiver. */
  refusal: number | null = null;
  /** Called once it has an e-mail, before it says so. */
  onTaken: () => unknown = () => undefined;
  private server: SMTPServer | null = null;
  private port = 0;

  async start(): Promise<void> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: (_address, _session, done) => {
        const { refusal } = this;
        done(refusal === null ? null : Object.assign(new Error('no'), { responseCode: refusal }));
      },
      onData: (stream, session, done) => {
        let content = '';
        stream.on('data', (part: Buffer) => (content += part.toString('utf8')));
        stream.on('end', () => {
          this.mails.push({ to: session.envelope.rcptTo[0]?.address ?? '', content });
          void Promise.resolve(this.onTaken()).then(() => {
            done();
          });
        });
      },
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** The ids of its e-mails, each once. */
  get ids(): Set<string> {
    const idOf = ({ content }: Mail) => /^Message-ID: <(.*)@/im.exec(content)?.[1] ?? '';
    return new Set(this.mails.map(idOf));
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (this.server) this.server.close(resolve);
      else resolve();
    });
  }
}
