import { Setting } from './tables';

/** Reads the secret that signs command ids, which the first migration made. */
export async function commandIdSecret(): Promise<Buffer> {
  const { value } = await Setting.findByPk('command_id_secret', { rejectOnEmpty: true });
  return Buffer.from(value, 'hex');
}
