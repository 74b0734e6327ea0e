import { useRef } from 'react';
import type { ImportState } from './import-rows';
import { adminTexts } from './texts';

/** Most refused rows that are shown; the file has them all. */
const SHOWN_MAX = 100;
const SECOND_MS = 1000;

/** A cell that a spreadsheet program takes for text, and not for a formula. */
const cell = (text: string): string =>
  `"${(/^[=+\-@]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

function saveFaults(refused: ImportState['refused']): void {
  const lines = [
    [adminTexts.line, adminTexts.why],
    ...refused.map(({ line, why }) => [String(line), why]),
  ].map((cells) => `${cells.map(cell).join(',')}\r\n`);
  const address = URL.createObjectURL(
    new Blob(['\uFEFF', ...lines], { type: 'text/csv;charset=utf-8' }),
  );
  const link = document.createElement('a');
  link.href = address;
  link.download = adminTexts.faultsFile;
  link.click();
  URL.revokeObjectURL(address);
}

function Faults({ refused }: { readonly refused: ImportState['refused'] }) {
  return (
    <>
      <button
        type="button"
        className="secondary"
        onClick={() => {
          saveFaults(refused);
        }}
      >
        {adminTexts.faults(refused.length)}
      </button>
      <table>
        <thead>
          <tr>
            <th scope="col">{adminTexts.line}</th>
            <th scope="col">{adminTexts.why}</th>
          </tr>
        </thead>
        <tbody>
          {refused.slice(0, SHOWN_MAX).map(({ line, why }) => (
            <tr key={line}>
              <td>{line}</td>
              <td>{why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** How far an import is and how fast, and which rows were refused. */
export function ImportProgress({ state }: { readonly state: ImportState }) {
  const { total, registered, there, refused } = state;
  const began = useRef(performance.now());
  const done = registered + there + refused.length;
  const says = adminTexts.imported(done, total);
  const perSecond = (SECOND_MS * done) / Math.max(1, performance.now() - began.current);
  return (
    <>
      <progress value={done} max={total} aria-label={says} />
      <p role="status">
        {says}: {adminTexts.importResults(registered, there, refused.length)}
      </p>
      {done > 0 && done < total && (
        <p className="muted">{adminTexts.rate(perSecond, (total - done) / perSecond)}</p>
      )}
      {refused.length > 0 && <Faults refused={refused} />}
    </>
  );
}
