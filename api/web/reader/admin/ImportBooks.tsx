import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState, type DragEvent } from 'react';
import { ProblemNotice } from '../../shared/ProblemNotice';
import { bookRows, type BookRow } from './book-rows';
import { fileText } from './file-text';
import { importRows, type ImportState } from './import-rows';
import { ImportProgress } from './ImportProgress';
import { texts } from '../../shared/texts';
import { adminTexts } from './texts';

/** The rows of a file, and the encoding that was guessed for it. */
interface ReadFile {
  readonly rows: readonly BookRow[];
  readonly guess: string | null;
}

async function readFile(file: File): Promise<ReadFile> {
  const { text, guess } = fileText(await file.arrayBuffer());
  return { rows: bookRows(text), guess };
}

const firstTitle = (rows: readonly BookRow[]): string =>
  rows.map((row) => ('book' in row ? row.book.title : '')).find((title) => title !== '') ?? '';

/** Asks whether an encoding was guessed rightly, before anything is registered. */
function Guess({
  file: { rows, guess },
  start,
  cancel,
}: {
  readonly file: ReadFile;
  readonly start: () => void;
  readonly cancel: () => void;
}) {
  if (guess === null) return null;
  return (
    <div className="notice" role="alert">
      <p>{adminTexts.guessed(guess, firstTitle(rows))}</p>
      <div className="actions">
        <button type="button" onClick={start}>
          {adminTexts.importGuessed(guess)}
        </button>
        <button type="button" className="secondary" onClick={cancel}>
          {texts.cancel}
        </button>
      </div>
    </div>
  );
}

/** The field for the file, onto which one can drop it as well. */
function FileField({ take }: { readonly take: (file: File | null) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const hint = useId();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    if (!field.current || event.dataTransfer.files.length === 0) return;
    field.current.files = event.dataTransfer.files;
    take(event.dataTransfer.files[0] ?? null);
  };
  return (
    <div
      className="drop"
      onDrop={drop}
      onDragOver={(event) => {
        event.preventDefault();
      }}
    >
      <label>
        {adminTexts.file}
        <input
          ref={field}
          type="file"
          accept=".csv,text/csv"
          required
          aria-describedby={hint}
          onChange={({ currentTarget }) => {
            take(currentTarget.files?.[0] ?? null);
          }}
        />
      </label>
      <p id={hint} className="muted">
        {adminTexts.drop} {adminTexts.importHint}
      </p>
    </div>
  );
}

export function ImportBooks() {
  const queries = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [doubtful, setDoubtful] = useState<ReadFile | null>(null);
  const [state, setState] = useState<ImportState | null>(null);
  const reading = useMutation({ mutationFn: readFile, networkMode: 'always' });
  const importing = useMutation({
    mutationFn: (rows: readonly BookRow[]) => importRows(rows, setState),
    networkMode: 'always',
    meta: { isListed: false },
    onSettled: () => queries.invalidateQueries(),
  });
  const isBusy = reading.isPending || importing.isPending;
  const start = () => {
    if (file === null || isBusy) return;
    setState(null);
    setDoubtful(null);
    importing.reset();
    reading.mutate(file, {
      onSuccess: (read) => {
        if (read.guess === null) importing.mutate(read.rows);
        else setDoubtful(read);
      },
    });
  };
  return (
    <section aria-label={adminTexts.import}>
      <h2>{adminTexts.import}</h2>
      <form
        aria-label={adminTexts.import}
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <FileField take={setFile} />
        <button aria-busy={isBusy} aria-disabled={isBusy}>
          {adminTexts.importRows}
        </button>
      </form>
      {doubtful && (
        <Guess
          file={doubtful}
          start={() => {
            setDoubtful(null);
            importing.mutate(doubtful.rows);
          }}
          cancel={() => {
            setDoubtful(null);
          }}
        />
      )}
      {reading.error && <p role="alert">{reading.error.message}</p>}
      <ProblemNotice error={importing.error} />
      {state && <ImportProgress state={state} />}
    </section>
  );
}
