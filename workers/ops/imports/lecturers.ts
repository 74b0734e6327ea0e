import { folded } from '../../../shared/fields';
import { User } from '../../../shared/identity/tables';
import { chooseInstallation, withDatabase } from '../installation';
import { Refused } from './row-cells';

/**
 * The lecturers by name, read from the installation's database when the first is asked for: the
 * service shows users by id only.
 */
export class Lecturers {
  private ids: Promise<ReadonlyMap<string, readonly number[]>> | null = null;

  /** `servers`: as in `chooseInstallation`. */
  constructor(private readonly servers: boolean) {}

  /**
   * Returns the id behind a name, in any case. @throws Refused when nobody or several have the
   * name, OpsError when there is no database.
   */
  async idOf(name: string): Promise<number> {
    this.ids ??= this.read();
    const [id, ...others] = (await this.ids).get(folded(name)) ?? [];
    if (id === undefined) throw new Refused(`lecturer '${name}' is not there`);
    if (others.length > 0)
      throw new Refused(`lecturer '${name}' is the name of ${others.length + 1}: userId is needed`);
    return id;
  }

  private async read(): Promise<ReadonlyMap<string, readonly number[]>> {
    const rows = await withDatabase(chooseInstallation(this.servers), () =>
      User.findAll({ attributes: ['id', 'username'], where: { role: 'lecturer' }, raw: true }),
    );
    const ids = new Map<string, number[]>();
    for (const { id, username } of rows)
      ids.set(folded(username), [...(ids.get(folded(username)) ?? []), id]);
    return ids;
  }
}
