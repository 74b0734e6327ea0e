import Joi from 'joi';
import { serverVariables, type ServerConfig } from '../../../shared/config';
import { choose, stateOf, type ServerState } from '../../../shared/database/server-state';
import { databaseIn, serversOf, withoutDatabase } from '../../../shared/database/servers';
import { withoutSecrets } from '../../../shared/shown-url';

const SEVERAL = 'mysql://me:p%2Cw@a:3307,b,[::1]:3308/library?ssl-mode=REQUIRED';

describe('a URL of several servers', () => {
  it('names each of them', () => {
    expect(serversOf(SEVERAL)).toEqual([
      'mysql://me:p%2Cw@a:3307/library?ssl-mode=REQUIRED',
      'mysql://me:p%2Cw@b/library?ssl-mode=REQUIRED',
      'mysql://me:p%2Cw@[::1]:3308/library?ssl-mode=REQUIRED',
    ]);
    expect(databaseIn(SEVERAL)).toBe('library');
    expect(serversOf(withoutDatabase(SEVERAL))[1]).toBe('mysql://me:p%2Cw@b/?ssl-mode=REQUIRED');
  });

  it('is shown without user and password', () => {
    expect(withoutSecrets(SEVERAL)).toBe(
      'mysql://a:3307/library, mysql://b/library, mysql://[::1]:3308/library',
    );
  });

  const faultOf = (name: keyof ServerConfig, value: string) =>
    Joi.object(serverVariables).validate({ [name]: value }).error?.message;

  it.each([
    [SEVERAL, undefined],
    ['mysql://me@a/library', undefined],
    ['mysql://a,,b/library', /must name the host/],
    ['mysql://a:1,a:1/library', /must name each server once/],
    ['mysql://a,10.0.0.1/library?ssl-mode=VERIFY_IDENTITY', /must name its host/],
    ['postgres://a,b/library', /valid uri/],
  ])('%s is judged', (url, fault) => {
    if (fault) expect(faultOf('MYSQL_URL', url)).toMatch(fault);
    else expect(faultOf('MYSQL_URL', url)).toBeUndefined();
  });

  it.each([
    ['redis+sentinel://me:secret@a:26379,b/library/3', undefined],
    ['rediss+sentinel://a/library', undefined],
    ['redis+sentinel://a,b', /must end in .name/],
    ['redis+sentinel://a,/library', /must name the hosts/],
    ['redis+cluster://me:secret@a:6379,b', undefined],
    ['rediss+cluster://a/0', undefined],
    ['redis+cluster://a/3', /a cluster has one database/],
    ['redis+cluster://a,', /must name the hosts of the cluster/],
    ['redis://a', undefined],
    ['http://a', /valid uri/],
  ])('%s of Redis is judged', (url, fault) => {
    if (fault) expect(faultOf('REDIS_URL', url)).toMatch(fault);
    else expect(faultOf('REDIS_URL', url)).toBeUndefined();
  });
});

describe('a server', () => {
  /** What it answers, by a part of the question. */
  const answering = (answers: Record<string, object[]>) => (sql: string) =>
    Promise.resolve(Object.entries(answers).find(([part]) => sql.includes(part))?.[1] ?? []);
  const variables = (values: Record<string, string>) =>
    Object.entries(values).map(([Variable_name, Value]) => ({ Variable_name, Value }));
  const member = (id: string, state: string, role = 'SECONDARY') => ({
    MEMBER_ID: id,
    MEMBER_STATE: state,
    MEMBER_ROLE: role,
    own: 'self',
  });
  const GROUP = variables({ read_only: 'OFF', group_replication_group_name: 'a name' });

  it.each([
    ['alone', { VARIABLES: variables({ read_only: 'OFF' }) }, null],
    ['read-only', { VARIABLES: variables({ read_only: 'ON' }) }, /read_only is on/],
    ['locked by MariaDB 12', { VARIABLES: variables({ read_only: 'NO_LOCK' }) }, /read_only/],
    [
      'the primary of a group',
      {
        VARIABLES: GROUP,
        members: [
          member('self', 'ONLINE', 'PRIMARY'),
          member('b', 'ONLINE'),
          member('c', 'UNREACHABLE'),
        ],
      },
      null,
    ],
    [
      'a primary without a majority',
      {
        VARIABLES: GROUP,
        members: [
          member('self', 'ONLINE', 'PRIMARY'),
          member('b', 'UNREACHABLE'),
          member('c', 'UNREACHABLE'),
        ],
      },
      /majority/,
    ],
    ['a secondary', { VARIABLES: GROUP, members: [member('self', 'ONLINE')] }, /secondary/],
    ['outside of its group', { VARIABLES: GROUP, members: [member('', 'OFFLINE')] }, /not online/],
    [
      'a Galera node',
      { VARIABLES: variables({ wsrep_on: 'ON' }), STATUS: variables({ wsrep_ready: 'ON' }) },
      null,
    ],
    [
      'a Galera node apart',
      { VARIABLES: variables({ wsrep_on: 'ON' }), STATUS: variables({ wsrep_ready: 'OFF' }) },
      /not ready/,
    ],
  ])('that is %s says so', async (_name, answers, refuses) => {
    const found = (await stateOf(answering(answers))).refuses;
    if (refuses === null) expect(found).toBeNull();
    else expect(found).toMatch(refuses);
  });
});

describe('of several servers', () => {
  const writable: ServerState = { refuses: null };
  const readOnly: ServerState = { refuses: 'read_only is on' };
  const silent = new Error('no answer');
  const chosen = (present: string | null, a: ServerState | Error, b: ServerState | Error) =>
    choose(
      new Map([
        ['a', a],
        ['b', b],
      ]),
      present,
    );

  it('the one that can be written to is chosen', () => {
    expect(chosen(null, readOnly, writable)).toEqual({ server: 'b' });
    expect(chosen('a', readOnly, writable)).toEqual({ server: 'b' });
    expect(chosen('a', silent, writable)).toEqual({ server: 'b' });
  });

  it('the present primary stays until another one replaces it', () => {
    expect(chosen('a', silent, readOnly)).toEqual({ server: 'a' });
  });

  it('none is chosen when none, or more than one, can be written to', () => {
    expect(chosen('a', readOnly, silent)).toEqual({
      why: 'no server can be written to (a: read_only is on; b: no answer)',
    });
    expect(chosen('a', writable, writable)).toEqual({
      why: 'a and b can be written to at the same time: make all but one read-only',
    });
  });
});
