import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Schemas } from '../shared/client';
import { Shown } from '../shared/Shown';
import { listReplays, loadTracks, type Track } from './calls';
import { placeWith } from './place-state';
import { consoleTexts } from './texts';

type Entry = Schemas['AuditEntry'];

/** How often replays are read again, milliseconds. */
const ANEW_MS = 2000;

const of = consoleTexts.letters;

const commandIdsOf = ({ details }: Entry): readonly string[] =>
  (details['commandIds'] as readonly string[] | undefined) ?? [];

/** How many commands ended in which way. */
function resultOf(tracks: readonly Track[], ids: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const { commandId, code, status } of tracks) {
    if (!ids.includes(commandId)) continue;
    const state = code ?? consoleTexts.commands.states[status];
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return of.results(counts);
}

/** Shows the results of replayed commands. */
function Result({ entry, aggregate }: { readonly entry: Entry; readonly aggregate: string }) {
  const query = useQuery({
    queryKey: ['console', 'replay', entry.auditId],
    queryFn: () => loadTracks(aggregate),
    refetchInterval: ANEW_MS,
  });
  return query.data ? resultOf(query.data, commandIdsOf(entry)) : null;
}

function Replay({ entry }: { readonly entry: Entry }) {
  const { at, actor, target } = entry;
  return (
    <tr>
      <th scope="row">{consoleTexts.instant(at)}</th>
      <td>{actor?.username}</td>
      <td>
        {target === null ? (
          of.several
        ) : (
          <Link href={placeWith('commands', { by: 'aggregate', text: target })}>{target}</Link>
        )}
      </td>
      <td>{commandIdsOf(entry).length}</td>
      <td>{target !== null && <Result entry={entry} aggregate={target} />}</td>
    </tr>
  );
}

/** Shows the latest replays: who started them, and the results of their commands. */
export function Replays() {
  const query = useQuery({
    queryKey: ['console', 'replays'],
    queryFn: listReplays,
    refetchInterval: ANEW_MS,
  });
  return (
    <section>
      <h2>{of.replays}</h2>
      <Shown query={query}>
        {(entries) =>
          entries.length === 0 ? (
            <p>{of.noReplays}</p>
          ) : (
            <div className="scrolls" role="region" aria-label={of.replays} tabIndex={0}>
              <table>
                <thead>
                  <tr>
                    {[of.when, of.who, of.what, of.commands, of.result].map((label) => (
                      <th key={label} scope="col">
                        {label}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {entries.map((entry) => (
                    <Replay key={entry.auditId} entry={entry} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
    </section>
  );
}
