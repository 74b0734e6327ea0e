import { Setting } from './tables';

/** The secret that command ids are signed with, made by the first migration. */
export async function commandIdSecret(): Promise<Buffer> {
  const { value } = await Setting.findByPk('command_id_secret', { rejectOnEmpty: true });
  return Buffer.from(value, 'hex');
}
