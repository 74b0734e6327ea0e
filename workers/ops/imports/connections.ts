import http from 'node:http';
import https from 'node:https';

/**
 * Requests over connections that stay open. `fetch` needs about five times the processor time for
 * a request, which an import of a large file shares with the service on the same machine.
 */

export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Received {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

export class Connections {
  private readonly plain = new http.Agent({ keepAlive: true });
  private readonly secure = new https.Agent({ keepAlive: true });

  /** `waitMs`: longest silence of the service before an answer counts as missing. */
  constructor(private readonly waitMs: number) {}

  /** The answer, whatever its status; no redirect is followed. */
  request(url: URL, { method, headers, body }: Sent): Promise<Received> {
    const isSecure = url.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const request = (isSecure ? https : http).request(
        url,
        {
          ...{ method, agent: isSecure ? this.secure : this.plain, timeout: this.waitMs },
          headers: {
            ...headers,
            ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
          },
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () => {
            resolve({
              status: response.statusCode ?? 0,
              retryAfter: response.headers['retry-after'],
              text: Buffer.concat(parts).toString(),
            });
          });
        },
      );
      request.on('timeout', () => {
        request.destroy(new Error(`no answer for ${this.waitMs / 1000} s`));
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  /** Closes the connections that no request uses. */
  close(): void {
    this.plain.destroy();
    this.secure.destroy();
  }
}
