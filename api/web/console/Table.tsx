import type { ReactNode } from 'react';

export interface TableProps {
  readonly name: string;
  readonly columns: readonly string[];
  /** The first cell names its row. */
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
  /** Instead of a table without rows. */
  readonly none: string;
}

/** A table that scrolls by itself where the window is narrow, by keyboard as well. */
export function Table({ name, columns, rows, none }: TableProps) {
  if (rows.length === 0) return <p>{none}</p>;
  return (
    <div className="scrolls" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <tr key={key}>
              <th scope="row">{first}</th>
              {others.map((cell, index) => (
                <td key={columns[index + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
