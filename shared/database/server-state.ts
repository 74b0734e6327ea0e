/** What a server of MySQL or MariaDB reports about itself. */
export interface ServerState {
  /** Why the server is not writable; null when it is. */
  readonly refuses: string | null;
}

/** A row of SHOW VARIABLES or SHOW STATUS. */
export interface Shown {
  readonly Variable_name: string;
  readonly Value: string;
}

/** A member of a replication group, as another one sees it. */
interface Member {
  readonly MEMBER_ID: string;
  readonly MEMBER_STATE: string;
  readonly MEMBER_ROLE: string;
  readonly own: string;
}

export type Ask = (sql: string) => Promise<readonly object[]>;

/** MariaDB and MySQL have different variables, and each reports its own. */
const VARIABLES = `SHOW GLOBAL VARIABLES WHERE Variable_name IN
  ('read_only', 'super_read_only', 'innodb_read_only', 'group_replication_group_name', 'wsrep_on')`;
const GALERA = `SHOW GLOBAL STATUS LIKE 'wsrep_ready'`;
const MEMBERS = `SELECT MEMBER_ID, MEMBER_STATE, MEMBER_ROLE, @@GLOBAL.server_uuid AS own
  FROM performance_schema.replication_group_members`;
const READ_ONLY = ['super_read_only', 'read_only', 'innodb_read_only'];
const HERE = new Set(['ONLINE', 'RECOVERING']);

/** Asks a server for its state. */
export async function stateOf(ask: Ask): Promise<ServerState> {
  const settings = valuesOf((await ask(VARIABLES)) as readonly Shown[]);
  const on = READ_ONLY.find((name) => (settings[name] ?? 'OFF') !== 'OFF');
  if (on) return { refuses: `${on} is on` };
  if (settings['group_replication_group_name'])
    return { refuses: refusalOfMember((await ask(MEMBERS)) as readonly Member[]) };
  if (settings['wsrep_on'] === 'ON') {
    const { wsrep_ready: ready } = valuesOf((await ask(GALERA)) as readonly Shown[]);
    return { refuses: ready === 'ON' ? null : 'its Galera node is not ready' };
  }
  return { refuses: null };
}

export function valuesOf(rows: readonly Shown[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(rows.map(({ Variable_name, Value }) => [Variable_name, Value]));
}

/**
 * Returns why a member of a group is not writable, or null. A primary that lost the majority still
 * calls itself the primary, while the others may have another one.
 */
function refusalOfMember(members: readonly Member[]): string | null {
  const self = members.find(({ MEMBER_ID, own }) => MEMBER_ID === own);
  if (self?.MEMBER_STATE !== 'ONLINE') return 'it is not online in its replication group';
  if (self.MEMBER_ROLE !== 'PRIMARY') return 'it is a secondary of its replication group';
  const here = members.filter(({ MEMBER_STATE }) => HERE.has(MEMBER_STATE)).length;
  return 2 * here > members.length
    ? null
    : 'it does not reach the majority of its replication group';
}

/** What one look at all servers found: the state of each, or why there is none. */
export type Seen = ReadonlyMap<string, ServerState | Error>;

const isWritable = (state: ServerState | Error | undefined): boolean =>
  state !== undefined && 'refuses' in state && state.refuses === null;

/**
 * Chooses the writable server. The present one stays while it does not answer and no other takes
 * its place. Of several none is chosen, nor of a cluster that takes writes at all of its nodes:
 * another program may use another one, and would not see the newest rows there.
 * @returns the server, or why there is none.
 */
export function choose(
  seen: Seen,
  present: string | null,
): { readonly server: string } | { readonly why: string } {
  const writable = [...seen].filter(([, state]) => isWritable(state)).map(([server]) => server);
  const [first, ...others] = writable;
  if (first !== undefined && others.length > 0)
    return {
      why: `${writable.join(' and ')} can be written to at the same time: make all but one read-only`,
    };
  if (first !== undefined) return { server: first };
  if (present !== null && seen.get(present) instanceof Error) return { server: present };
  const reasons = [...seen].map(
    ([server, state]) => `${server}: ${state instanceof Error ? state.message : state.refuses}`,
  );
  return { why: `no server can be written to (${reasons.join('; ')})` };
}
