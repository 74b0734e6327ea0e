import { UsageError, type Commands, type OpsCommand } from './command';

/** Scripts for shells that complete commands and options, made of the table of commands. */

interface Word {
  readonly word: string;
  readonly help: string;
}

/** What may come next after the words of a command line, by these words. */
interface Place {
  readonly after: string;
  /** Also when more follows them. */
  readonly isCommand: boolean;
  readonly words: readonly Word[];
}

/**
 * Lists the words that may follow: the first words of commands, the second words of a group, and
 * options.
 */
function placesOf(commands: Commands): readonly Place[] {
  const firsts = new Map<string, Word[]>();
  const places: Place[] = [];
  for (const [name, { summary, options }] of Object.entries(commands)) {
    const [first = '', second] = name.split(' ');
    const seconds = firsts.get(first) ?? [];
    firsts.set(first, seconds);
    if (second !== undefined) seconds.push({ word: second, help: summary });
    const words = Object.entries({ ...options, help: { help: 'explain the command' } }).map(
      ([option, { help }]) => ({ word: `--${option}`, help }),
    );
    places.push({ after: name, isCommand: true, words });
  }
  const tops = [...firsts].map(([first, seconds]) => ({
    word: first,
    help: seconds.length > 0 ? `${first} ...` : (commands[first]?.summary ?? ''),
  }));
  const groups = [...firsts].filter(([, seconds]) => seconds.length > 0);
  return [
    { after: '', isCommand: false, words: tops },
    ...groups.map(([after, words]) => ({ after, isCommand: false, words })),
    ...places,
  ];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const pattern = ({ after, isCommand }: Place): string =>
  isCommand ? `'${after}'|'${after} '*` : `'${after}'`;

const bash = (places: readonly Place[]): string => `_lendline() {
  local words=''
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1}" in
${places.map((place) => `    ${pattern(place)}) words=${quoted(place.words.map(({ word }) => word).join(' '))} ;;`).join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _lendline lendline
`;

const zsh = (places: readonly Place[]): string => `#compdef lendline
_lendline() {
  local -a found
  case "\${(j: :)words[2,CURRENT-1]}" in
${places
  .map(({ words, ...place }) => {
    const found = words.map(({ word, help }) => quoted(`${word}:${help.replaceAll(':', '\\:')}`));
    return `    ${pattern({ words, ...place })}) found=(${found.join(' ')}) ;;`;
  })
  .join('\n')}
  esac
  _describe -o lendline found || _files
}
compdef _lendline lendline
`;

const fish = (places: readonly Place[]): string => `function __lendline_after
  set -l words (commandline -opc)
  set -e words[1]
  test "$words" = "$argv[1]"; and return 0
  test -n "$argv[2]"; and string match -q -- "$argv[1] *" "$words"
end
${places
  .flatMap(({ after, isCommand, words }) =>
    words.map(({ word, help }) => {
      const at = `__lendline_after "${after}"${isCommand ? ' more' : ''}`;
      const what = isCommand ? `-l ${word.slice(2)}` : `-f -a ${quoted(word)}`;
      return `complete -c lendline -n ${quoted(at)} ${what} -d ${quoted(help)}`;
    }),
  )
  .join('\n')}
`;

const SHELLS = { bash, zsh, fish };

/** Returns the table with the command that prints such a script. */
export function withCompletion(commands: Commands): Commands {
  const completion: OpsCommand = {
    summary: 'Print a script for your shell that completes commands and options',
    operands: ['SHELL'],
    options: { json: { help: 'print an object with shell and script' } },
    notes: `SHELL is ${Object.keys(SHELLS).join(', ')}. For bash: source <(lendline completion bash)`,
    run(given) {
      const [shell = ''] = given.operands;
      if (!Object.hasOwn(SHELLS, shell))
        throw new UsageError(`SHELL must be one of ${Object.keys(SHELLS).join(', ')}.`);
      const script = SHELLS[shell as keyof typeof SHELLS](placesOf(all));
      process.stdout.write(given.flag('json') ? `${JSON.stringify({ shell, script })}\n` : script);
      return Promise.resolve(0);
    },
  };
  const all = { ...commands, completion };
  return all;
}
