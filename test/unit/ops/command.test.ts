import jwt from 'jsonwebtoken';
import { commands } from '../../../workers/ops/commands';
import { chooseInstallation } from '../../../workers/ops/installation';
import { ops as call } from '../../support/service/ops';

const SECRET = 'a-secret-of-more-than-thirty-two-characters';

const environment = process.env;
beforeEach(() => {
  process.env = { ...environment, JWT_SECRET: SECRET };
  delete process.env['MYSQL_URL'];
});
afterEach(() => {
  process.env = environment;
});

describe("the operator's tools", () => {
  it('list every command on --help', async () => {
    const { exitCode, stdout } = await call('--help');
    expect(exitCode).toBe(0);
    for (const name of Object.keys(commands)) expect(stdout).toContain(name);
  });

  it.each(Object.keys(commands))('explain every option of %s', async (name) => {
    const { exitCode, stdout } = await call(name, '--help');
    expect(exitCode).toBe(0);
    for (const option of Object.keys(commands[name]?.options ?? {}))
      expect(stdout).toContain(`--${option}`);
  });

  it('list those of a group on its --help', async () => {
    const { exitCode, stdout } = await call('dead-letters', '--help');
    expect(exitCode).toBe(0);
    for (const name of ['list', 'show', 'replay', 'discard'])
      expect(stdout).toContain(`dead-letters ${name}`);
    expect(stdout).not.toContain('audit');
  });

  it.each([
    [[], 'No command given'],
    [['fly'], "Unknown command 'fly'"],
    [['toString'], "Unknown command 'toString'"],
    [['audit', '--fast'], "Unknown option '--fast'."],
    [['audit', 'now'], "Unexpected argument 'now'."],
    [['import-books'], 'Missing FILE.'],
    [['import-posts', 'a.csv', '--copies', '1'], "Unknown option '--copies'."],
    [['import-courses', 'a.csv', 'b.csv'], "Unexpected argument 'b.csv'."],
    [
      ['import-books', 'a.csv', '--concurrency', '257'],
      'Option --concurrency must be a whole number from 1 to 256.',
    ],
    [['import-books', 'a.csv', '--copies', '-1'], '--copies'],
    [
      ['import-books', 'a.csv', '--url', 'nowhere'],
      'Option --url must be an http or https address',
    ],
    [['dead-letters'], "Unknown command 'dead-letters'"],
    [['dead-letters', 'burn'], "Unknown command 'dead-letters'"],
    [['dead-letters', 'replay'], 'Name the dead letters'],
    [['dead-letters', 'replay', '1', '--all'], 'Name the dead letters'],
    [['dead-letters', 'discard', '--aggregate', 'a', '--all'], 'Name the dead letters'],
    [['dead-letters', 'list', '--service', 'nobody'], 'Option --service must be one of'],
    [['dead-letters', 'list', '--size', '1001'], 'Option --size'],
    [['dead-letters', 'show'], 'Missing LETTER.'],
    [['dead-letters', 'show', '1', '2'], "Unexpected argument '2'."],
    [['token', '--username', 'Ann'], 'Option --user is required.'],
    [['token', '--user', '0', '--username', 'Ann'], 'Option --user must be a whole number from 1'],
    [['token', '--user', '1', '--username', ' '], 'Option --username'],
    [
      ['token', '--user', '1', '--username', 'Ann', '--role', 'admin'],
      'Option --role must be one of user, lecturer.',
    ],
    [['token', '--user', '1', '--username', 'Ann', '--expires', '0'], 'Option --expires'],
  ])('answer %j with one sentence and exit 2', async (argv, sentence) => {
    const { exitCode, stdout, stderr } = await call(...argv);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('exit 1 when the work fails', async () => {
    const { exitCode, stderr } = await call('import-books', '/nowhere/books.csv', '--token', 'x');
    expect(exitCode).toBe(1);
    expect(stderr).toBe('There is no file /nowhere/books.csv.\n');
  });
});

describe('token', () => {
  it('prints nothing but a token that carries what was asked for', async () => {
    const { exitCode, stdout } = await call(
      'token',
      '--user',
      '42',
      '--username',
      'Ann Lee',
      '--role',
      'lecturer',
      '--admin',
      '--expires',
      '60',
    );
    expect(exitCode).toBe(0);
    const claims = jwt.verify(stdout.trim(), SECRET, { algorithms: ['HS256'] }) as jwt.JwtPayload;
    expect(claims).toMatchObject({
      sub: '42',
      username: 'Ann Lee',
      role: 'lecturer',
      isAdmin: true,
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(60);
  });

  it('carries the issuer and audience that the API asks for', async () => {
    Object.assign(process.env, { JWT_ISSUER: 'library', JWT_AUDIENCE: 'readers' });
    const { stdout } = await call('token', '--user', '7', '--username', 'Bo');
    expect(
      jwt.verify(stdout.trim(), SECRET, { issuer: 'library', audience: 'readers' }),
    ).toMatchObject({ sub: '7' });
  });

  it('is not made where an identity provider makes the tokens', async () => {
    process.env['JWT_JWKS_URL'] = 'https://id.example.org/keys';
    expect(await call('token', '--user', '7', '--username', 'Bo')).toMatchObject({
      exitCode: 1,
      stdout: '',
    });
  });

  it("makes a plain user's token for an hour unless told otherwise", async () => {
    const { stdout } = await call('token', '--user', '7', '--username', 'Bo', '--json');
    const { accessToken, expiresIn } = JSON.parse(stdout) as {
      accessToken: string;
      expiresIn: number;
    };
    expect(expiresIn).toBe(3600);
    expect(jwt.verify(accessToken, SECRET)).toMatchObject({
      sub: '7',
      role: 'user',
      isAdmin: false,
    });
  });

  it('logs on stderr for whom a token was made, and never the token', async () => {
    const { stdout, stderr } = await call('token', '--user', '7', '--username', 'Ann', '--admin');
    const line = stderr.split('\n').find((text) => text.includes('"audit":true'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      action: 'ops.token',
      target: 'user:7',
      isAdmin: true,
    });
    expect(stderr).not.toContain(stdout.trim());
  });
});

describe('the installation that a command works on', () => {
  const choose = (servers: boolean, variables: NodeJS.ProcessEnv) => {
    const spy = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { kind, databaseUrl } = chooseInstallation(servers, variables);
    const [said] = spy.mock.calls.map(([text]) => String(text));
    spy.mockRestore();
    return { kind, databaseUrl, said };
  };

  it('is the embedded data folder when nothing names the servers', () => {
    expect(choose(false, { DATA_DIR: '/tmp/lib' })).toMatchObject({
      kind: 'embedded',
      databaseUrl: '/tmp/lib/lendline.sqlite',
      said: expect.stringContaining('/tmp/lib'),
    });
  });

  it('is the servers when MYSQL_URL is set or --servers is given, and the password is never said', () => {
    const { kind, said } = choose(false, { MYSQL_URL: 'mysql://root:hush@db:3307/library' });
    expect(kind).toBe('servers');
    expect(said).toContain('db:3307/library');
    expect(said).not.toContain('hush');
    expect(choose(true, {})).toMatchObject({
      kind: 'servers',
      databaseUrl: 'mysql://root@127.0.0.1:3306/lendline',
    });
  });
});
