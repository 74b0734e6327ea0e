import { pino, type Logger } from 'pino';

export type { Logger };

/** Request headers and fields that hold secrets. None of them may reach a log. */
const SECRETS = [
  'authorization',
  'password',
  'passwordHash',
  'accessToken',
  'req.headers.authorization',
  '*.password',
  '*.passwordHash',
  '*.accessToken',
];

/**
 * Makes a JSON logger. ERROR means that someone should look. Refusals and bad requests are never
 * errors.
 */
export function createLogger(name: string, level: string): Logger {
  return pino({
    name,
    level,
    redact: { paths: SECRETS, censor: '[secret]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
}
