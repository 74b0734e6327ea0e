import { randomUUID } from 'node:crypto';

/**
 * Returns random hexadecimal digits, at most 64. Node has random bytes for UUIDs ready, and asks
 * the system for those of `randomBytes` each time: tests make a million.
 */
export const randomDigits = (count: number): string =>
  `${randomUUID()}${randomUUID()}`.replaceAll('-', '').slice(0, count);
