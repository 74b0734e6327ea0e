import { Signatures } from '../../../shared/messaging/signature';
import { onDatabase } from '../servers/rows';

/** For tests in which no installation has a secret. */
export const TEST_SIGNATURES = new Signatures(Buffer.alloc(32, 7));

/** Returns those of an installation, for a test that publishes past its API. */
export async function signaturesOf(env: Readonly<Record<string, string>>): Promise<Signatures> {
  const sql = "SELECT value FROM setting WHERE name = 'command_id_secret'";
  const [row] = await onDatabase(env, (select) => select(sql));
  return new Signatures(Buffer.from(String(row?.value), 'hex'));
}
