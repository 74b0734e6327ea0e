import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ProblemNotice } from '../../shared/ProblemNotice';
import { texts } from '../../shared/texts';
import { bookRows, type BookRow } from './book-rows';
import { importRows, type ImportState } from './import-rows';

/** How far an import is, and which rows were refused. */
function ImportProgress({
  state: { total, registered, there, refused },
}: {
  readonly state: ImportState;
}) {
  const done = registered + there + refused.length;
  const says = texts.admin.imported(done, total);
  return (
    <>
      <progress value={done} max={total} aria-label={says} />
      <p role="status">
        {says}: {texts.admin.importResults(registered, there, refused.length)}
      </p>
      {refused.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.admin.line}</th>
              <th scope="col">{texts.admin.why}</th>
            </tr>
          </thead>
          <tbody>
            {refused.map(({ line, why }) => (
              <tr key={line}>
                <td>{line}</td>
                <td>{why}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

async function rowsOf(file: File): Promise<readonly BookRow[]> {
  return bookRows(await file.text());
}

export function ImportBooks() {
  const queries = useQueryClient();
  const hint = useId();
  const [file, setFile] = useState<File | null>(null);
  const [state, setState] = useState<ImportState | null>(null);
  const reading = useMutation({ mutationFn: rowsOf, networkMode: 'always' });
  const importing = useMutation({
    mutationFn: (rows: readonly BookRow[]) => importRows(rows, setState),
    networkMode: 'always',
    onSettled: () => queries.invalidateQueries(),
  });
  const isBusy = reading.isPending || importing.isPending;
  return (
    <section aria-label={texts.admin.import}>
      <h2>{texts.admin.import}</h2>
      <p id={hint}>{texts.admin.importHint}</p>
      <form
        aria-label={texts.admin.import}
        onSubmit={(event) => {
          event.preventDefault();
          if (file === null || isBusy) return;
          setState(null);
          importing.reset();
          reading.mutate(file, {
            onSuccess: (rows) => {
              importing.mutate(rows);
            },
          });
        }}
      >
        <label>
          {texts.admin.file}
          <input
            type="file"
            accept=".csv,text/csv"
            required
            aria-describedby={hint}
            onChange={({ currentTarget }) => {
              setFile(currentTarget.files?.[0] ?? null);
            }}
          />
        </label>
        <button aria-busy={isBusy} aria-disabled={isBusy}>
          {texts.admin.importRows}
        </button>
      </form>
      {reading.error && <p role="alert">{reading.error.message}</p>}
      <ProblemNotice error={importing.error} />
      {state && <ImportProgress state={state} />}
    </section>
  );
}
