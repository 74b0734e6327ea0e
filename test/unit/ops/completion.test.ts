import { execFileSync } from 'node:child_process';
import { commands } from '../../../workers/ops/commands';
import { ops } from '../../support/service/ops';

const script = async (shell: string): Promise<string> => {
  const { exitCode, stdout } = await ops('completion', shell);
  expect(exitCode).toBe(0);
  return stdout;
};

/** What bash offers at the end of a line. */
async function offered(line: string): Promise<string[]> {
  const words = line.split(' ').map((word) => `'${word}'`);
  const call = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _lendline; echo "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', `${await script('bash')}${call}`], { encoding: 'utf8' });
  return out.trim().split(' ');
}

describe('the completion of bash', () => {
  it('offers commands, those of a group, and options', async () => {
    expect(await offered('lendline ')).toEqual([
      ...new Set(Object.keys(commands).map((name) => name.split(' ')[0])),
    ]);
    expect(await offered('lendline dead-letters re')).toEqual(['replay']);
    expect(await offered('lendline dead-letters replay 7 --al')).toEqual(['--all']);
    expect(await offered('lendline token --e')).toEqual(['--expires']);
  });

  it('leaves operands to the names of files', async () => {
    expect(await offered('lendline import-books books')).toEqual(['']);
  });
});

it.each(['bash', 'zsh', 'fish'])('%s knows every option of every command', async (shell) => {
  const text = await script(shell);
  for (const [name, { options }] of Object.entries(commands))
    for (const option of Object.keys(options)) {
      const line = text
        .split('\n')
        .find(
          (one) =>
            one.includes(shell === 'fish' ? `"${name}" more` : `'${name}'|`) &&
            one.includes(shell === 'fish' ? ` -l ${option} ` : `--${option}`),
        );
      expect([name, option, line]).toEqual([name, option, expect.any(String)]);
    }
});

it('knows no other shell', async () => {
  expect(await ops('completion', 'tcsh')).toMatchObject({ exitCode: 2, stdout: '' });
});

it('is JSON when that is asked for, as every command is', async () => {
  const { stdout } = await ops('completion', 'fish', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ shell: 'fish', script: await script('fish') });
  for (const [name, { options }] of Object.entries(commands))
    expect([name, Object.keys(options)]).toEqual([name, expect.arrayContaining(['json'])]);
});
