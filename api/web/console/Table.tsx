import type { ReactNode } from 'react';
import { usePlaceState } from './place-state';
import { consoleTexts } from './texts';

export interface Column<Row> {
  /** Its name in the address, when the table is sorted by it. */
  readonly key: string;
  readonly label: string;
  /** The value to sort by. Null comes last. */
  readonly value: (row: Row) => string | number | null;
  /** What the cell shows, if not the value. */
  readonly cell?: (row: Row) => ReactNode;
}

export interface TableProps<Row> {
  readonly name: string;
  /** The first names its row, and must be different in each. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Displayed instead of a table without rows. */
  readonly none: string;
  /** Whether the address holds its order and its search. */
  readonly isSteered?: boolean;
}

/** Most rows at a time, because a table that changes each second must stay cheap. */
const ROWS_MAX = 50;
/** The sign of a column that is sorted downwards. */
const DOWN = '-';

function compare(a: string | number | null, b: string | number | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}

function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: string,
): readonly Row[] {
  const column = columns.find(({ key }) => key === sort.replace(DOWN, ''));
  if (!column) return rows;
  const sign = sort.startsWith(DOWN) ? -1 : 1;
  return [...rows].sort((a, b) => sign * compare(column.value(a), column.value(b)));
}

const matches = <Row,>(row: Row, columns: readonly Column<Row>[], words: string): boolean =>
  words === '' ||
  columns.some(({ value }) =>
    String(value(row) ?? '')
      .toLowerCase()
      .includes(words),
  );

function Head<Row>({
  column: { key, label },
  sort,
  change,
}: {
  readonly column: Column<Row>;
  readonly sort: string;
  readonly change: (sort: string) => void;
}) {
  const isDown = sort === `${DOWN}${key}`;
  const order = isDown ? 'descending' : sort === key ? 'ascending' : undefined;
  return (
    <th scope="col" aria-sort={order}>
      <button
        type="button"
        className="sort"
        onClick={() => {
          change(isDown ? key : `${DOWN}${key}`);
        }}
      >
        {label}
        <span aria-hidden="true">{isDown ? ' ↓' : order ? ' ↑' : ''}</span>
      </button>
    </th>
  );
}

/** Shows a table that scrolls in a narrow window, also by keyboard. */
function Rows<Row>({
  name,
  columns,
  rows,
  head,
}: Pick<TableProps<Row>, 'name' | 'columns' | 'rows'> & {
  readonly head: (column: Column<Row>) => ReactNode;
}) {
  const [first, ...others] = columns;
  const shown = (column: Column<Row>, row: Row) =>
    column.cell ? column.cell(row) : column.value(row);
  return (
    <div className="scrolls" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>{columns.map(head)}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={String(first?.value(row))}>
              <th scope="row">{first && shown(first, row)}</th>
              {others.map((column) => (
                <td key={column.key}>{shown(column, row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Steered<Row>({ columns, rows, none, name }: TableProps<Row>) {
  const { value, change } = usePlaceState();
  const of = consoleTexts.table;
  const words = value('q').toLowerCase();
  const found = sorted(
    rows.filter((row) => matches(row, columns, words)),
    columns,
    value('sort'),
  );
  const pages = Math.max(1, Math.ceil(found.length / ROWS_MAX));
  const page = Math.min(pages, Math.max(1, Number(value('page')) || 1));
  const start = (page - 1) * ROWS_MAX;
  const step = (label: string, to: number) => (
    <button
      type="button"
      className="secondary small"
      disabled={to < 1 || to > pages}
      onClick={() => {
        change({ page: String(to) });
      }}
    >
      {label}
    </button>
  );
  return (
    <>
      <search className="table-search">
        <label>
          {of.search}
          <input
            type="search"
            defaultValue={value('q')}
            autoCapitalize="none"
            onChange={(event) => {
              change({ q: event.currentTarget.value, page: '' });
            }}
          />
        </label>
      </search>
      {found.length === 0 ? (
        <p role="status">{rows.length === 0 ? none : of.none}</p>
      ) : (
        <Rows
          name={name}
          columns={columns}
          rows={found.slice(start, start + ROWS_MAX)}
          head={(column) => (
            <Head
              key={column.key}
              column={column}
              sort={value('sort')}
              change={(sort) => {
                change({ sort });
              }}
            />
          )}
        />
      )}
      {pages > 1 && (
        <nav className="pages" aria-label={name}>
          {step(of.previous, page - 1)}
          <span>{of.shown(start + 1, Math.min(start + ROWS_MAX, found.length), found.length)}</span>
          {step(of.next, page + 1)}
        </nav>
      )}
    </>
  );
}

export function Table<Row>(props: TableProps<Row>) {
  const { isSteered = false, rows, none } = props;
  if (isSteered) return <Steered {...props} />;
  if (rows.length === 0) return <p>{none}</p>;
  return (
    <Rows
      {...props}
      head={({ key, label }) => (
        <th key={key} scope="col">
          {label}
        </th>
      )}
    />
  );
}
