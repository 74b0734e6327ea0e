import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fieldsOf } from '../shared/form';
import { Heading } from '../shared/Heading';
import { findPeople, type Person } from './calls';
import { scanned, type Scan, type Scanned } from './scan';
import { deskTexts } from './texts';

/** Most scans that stay on the page. */
const SHOWN_MAX = 20;

const of = deskTexts.circulation;

/** Returns the reader with that name, or the only one whose name begins with it. */
async function readerNamed(name: string): Promise<Person> {
  const { items } = await findPeople(name, 1);
  const active = items.filter(({ status }) => status === 'active');
  const exact = active.find(({ username }) => username.toLowerCase() === name.toLowerCase());
  const found = exact ?? (active.length === 1 ? active[0] : undefined);
  if (!found) throw new Error(of.noSuchReader(name));
  return found;
}

function ChooseReader({ take }: { readonly take: (reader: Person) => void }) {
  const find = useMutation({
    mutationFn: readerNamed,
    networkMode: 'always',
    onSuccess: take,
  });
  return (
    <form
      aria-label={of.choose}
      className="scan"
      onSubmit={(event) => {
        event.preventDefault();
        find.mutate(fieldsOf(event.currentTarget)('reader').trim());
      }}
    >
      <label>
        {of.reader}
        <input
          name="reader"
          required
          maxLength={255}
          autoCapitalize="none"
          autoComplete="off"
          placeholder={of.readerHint}
          ref={(field) => field?.focus()}
        />
      </label>
      <button aria-busy={find.isPending}>{of.choose}</button>
      {find.error && <p role="alert">{find.error.message}</p>}
    </form>
  );
}

/** Runs scans one after the other, in their order, because they may come faster than answers. */
function useScans(): { readonly log: readonly Scanned[]; readonly add: (scan: Scan) => void } {
  const [log, setLog] = useState<readonly Scanned[]>([]);
  const before = useRef<Promise<void>>(Promise.resolve());
  const add = (scan: Scan) => {
    before.current = before.current.then(async () => {
      const result = await scanned(scan);
      setLog((all) => [result, ...all].slice(0, SHOWN_MAX));
    });
  };
  return { log, add };
}

/** Shows the field for the scanner, which types a barcode and presses Enter. It keeps the focus. */
function ScanField({ add }: { readonly add: (barcode: string) => void }) {
  return (
    <form
      aria-label={of.scan}
      className="scan"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const barcode = fieldsOf(form)('barcode').trim();
        if (barcode !== '') add(barcode);
        form.reset();
      }}
    >
      <label>
        {of.scan}
        <input
          name="barcode"
          maxLength={64}
          autoCapitalize="none"
          autoComplete="off"
          placeholder={of.scanHint}
          ref={(field) => field?.focus()}
        />
      </label>
    </form>
  );
}

type Mode = 'lend' | 'giveBack';
const MODES: readonly Mode[] = ['lend', 'giveBack'];

function ChooseMode({
  mode,
  choose,
}: {
  readonly mode: Mode;
  readonly choose: (mode: Mode) => void;
}) {
  return (
    <fieldset className="modes">
      <legend>{of.mode}</legend>
      {MODES.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="mode"
            checked={mode === one}
            onChange={() => {
              choose(one);
            }}
          />
          {of[one]}
        </label>
      ))}
    </fieldset>
  );
}

/** Lends and takes back copies by their barcodes, one scan each. */
export function Circulation() {
  const [mode, setMode] = useState<Mode>('lend');
  const [reader, setReader] = useState<Person | null>(null);
  const { log, add } = useScans();
  const isReady = mode === 'giveBack' || reader !== null;
  return (
    <>
      <Heading>{of.heading}</Heading>
      <ChooseMode mode={mode} choose={setMode} />
      {mode === 'lend' && reader && (
        <p className="actions">
          <strong>{of.chosen(reader.username)}</strong>
          <button
            type="button"
            className="secondary small"
            onClick={() => {
              setReader(null);
            }}
          >
            {of.change}
          </button>
        </p>
      )}
      {isReady ? (
        <ScanField
          key={mode}
          add={(barcode) => {
            add({ barcode, reader: mode === 'lend' ? reader : null });
          }}
        />
      ) : (
        <ChooseReader take={setReader} />
      )}
      <p role="status" aria-live="assertive" className="said">
        {log[0]?.says}
      </p>
      {log.length > 0 && (
        <section aria-label={of.log}>
          <h2>{of.log}</h2>
          <ol className="scans" reversed>
            {log.map(({ says, isDone }, index) => (
              <li key={`${log.length - index} ${says}`} className={isDone ? 'good' : 'bad'}>
                {says}
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
}
