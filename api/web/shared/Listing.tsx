import type { ReactNode } from 'react';
import { Empty } from './Empty';

export interface ListingProps<Row> {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** The first cell names its row. */
  readonly cells: (row: Row) => readonly ReactNode[];
  readonly none: string;
}

/** Shows a list as a table that scrolls in a narrow window. */
export function Listing<Row>({ name, columns, rows, keyOf, cells, none }: ListingProps<Row>) {
  if (rows.length === 0) return <Empty text={none} />;
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
          {rows.map((row) => {
            const [first, ...others] = cells(row);
            return (
              <tr key={keyOf(row)}>
                <th scope="row">{first}</th>
                {others.map((cell, index) => (
                  <td key={columns[index + 1]}>{cell}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
