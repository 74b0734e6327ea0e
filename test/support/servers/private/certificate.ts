import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../service/child';
import { temporaryFolder } from '../../run/cleanup';
import { START_MS } from './private-server';
import { canInstall, findProgram, install } from './programs';

/** Paths of a key and of the certificate that vouches for itself, of `localhost` alone. */
export interface Certificate {
  readonly key: string;
  readonly certificate: string;
}

export async function makeCertificate(): Promise<Certificate> {
  if (!findProgram('openssl') && canInstall()) await install(['openssl']);
  const openssl = findProgram('openssl');
  if (!openssl) throw new Error('openssl is not installed');
  const folder = await temporaryFolder('certificate');
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  await run(
    {
      name: 'openssl',
      command: openssl,
      args: [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-keyout',
        key,
        '-out',
        certificate,
        ...subject,
      ],
    },
    START_MS,
  );
  await chmod(key, 0o600);
  return { key, certificate };
}
