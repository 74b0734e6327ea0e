import * as crypto from 'node:crypto';
import { hashPassword, verifyPassword } from '../../../api/identity/password';

jest.mock('node:crypto', () => {
  const actual = jest.requireActual<typeof crypto>('node:crypto');
  return { ...actual, scrypt: jest.fn(actual.scrypt) };
});
const { randomBytes, scryptSync } = crypto;

describe('passwords', () => {
  it('are stored as salted scrypt hashes that name their parameters', async () => {
    const [first, second] = await Promise.all([
      hashPassword('correct horse'),
      hashPassword('correct horse'),
    ]);
    expect(first).toMatch(/^scrypt\$16384\$8\$5\$[\w+/]{22}==\$[\w+/]{43}=\$as-is$/);
    expect(first).not.toBe(second);
  });

  it('fit their own hash only', async () => {
    const stored = await hashPassword('caf\u00e9 au lait');
    await expect(verifyPassword('caf\u00e9 au lait', stored, 'sign-in')).resolves.toBe(true);
    for (const other of [
      'cafe\u0301 au lait',
      'cafe au lait',
      ' caf\u00e9 au lait',
      'caf\u00e9 au lait ',
      'Caf\u00e9 au lait',
    ]) {
      await expect(verifyPassword(other, stored, 'sign-in')).resolves.toBe(false);
    }
  });

  it('fit a hash of before, which was made of their compatibility form', async () => {
    const salt = randomBytes(16);
    const hash = scryptSync('caf\u00e9 au lait', salt, 32, { N: 1024, r: 8, p: 1 });
    const stored = `scrypt$1024$8$1$${salt.toString('base64')}$${hash.toString('base64')}`;
    await expect(verifyPassword('cafe\u0301 au lait', stored, 'sign-in')).resolves.toBe(true);
  });

  it('are checked with the parameters of the stored hash', async () => {
    const salt = randomBytes(16);
    const hash = scryptSync('an old password', salt, 32, { N: 1024, r: 8, p: 1 });
    const stored = `scrypt$1024$8$1$${salt.toString('base64')}$${hash.toString('base64')}`;
    await expect(verifyPassword('an old password', stored, 'sign-in')).resolves.toBe(true);
  });

  it('never fit an account that does not exist', async () => {
    await expect(verifyPassword('', null, 'sign-in')).resolves.toBe(false);
  });

  it('cost the same for an account that does not exist', async () => {
    const stored = await hashPassword('correct horse');
    const scrypt = jest.mocked(crypto.scrypt).mockClear();
    for (const hash of [stored, null]) await verifyPassword('wrong horse', hash, 'sign-in');
    const [known, unknown] = scrypt.mock.calls.map(([, salt, length, cost]) => [
      Buffer.from(salt as Uint8Array).length,
      length,
      cost,
    ]);
    expect(scrypt).toHaveBeenCalledTimes(2);
    expect(unknown).toEqual(known);
  });
});
