import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findCommands, type Track } from './calls';
import { Timeline } from './Timeline';
import { consoleTexts } from './texts';

/** How often a command is read again while its timeline may be incomplete, milliseconds. */
const ANEW_MS = 1000;
/** After this long, no more steps of a command become known, milliseconds. */
const TOLD_MS = 60_000;

const load = async (id: string) => (await findCommands({ id })).items[0];
const maySoonSayMore = ({ status, receivedAt, answeredAt }: Track): boolean =>
  status === 'queued' || (answeredAt === null && Date.now() - Date.parse(receivedAt) < TOLD_MS);

/** Shows the present state of a command, for as long as it is open. */
function Detail({ found }: { readonly found: Track }) {
  const { data: track } = useQuery({
    queryKey: ['console', 'command', found.commandId],
    queryFn: async () => (await load(found.commandId)) ?? found,
    initialData: found,
    refetchInterval: ({ state: { data } }) => data !== undefined && maySoonSayMore(data) && ANEW_MS,
  });
  const of = consoleTexts.commands;
  return (
    <>
      <dl>
        <dt>{of.kinds.id}</dt>
        <dd>
          <code>{track.commandId}</code>
        </dd>
        <dt>{of.user}</dt>
        <dd>{track.userId ?? of.nobody}</dd>
        <dt>{of.request}</dt>
        <dd>
          <code>{track.requestId ?? consoleTexts.unknown}</code>
        </dd>
        {track.detail !== null && (
          <>
            <dt>{of.refusal}</dt>
            {/* What the client was told, which is English. */}
            <dd lang="en">{track.detail}</dd>
          </>
        )}
      </dl>
      <Timeline track={track} />
    </>
  );
}

/** Shows a command in a line, and its timeline when it is opened. */
export function Command({ track }: { readonly track: Track }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li>
      <details
        onToggle={(event) => {
          setIsOpen(event.currentTarget.open);
        }}
      >
        <summary>
          <span className={`state ${track.status}`}>
            {track.code ?? consoleTexts.commands.states[track.status]}
          </span>{' '}
          <strong>{track.type}</strong> {track.aggregate}{' '}
          <small>{consoleTexts.instant(track.receivedAt)}</small>
        </summary>
        {isOpen && <Detail found={track} />}
      </details>
    </li>
  );
}
