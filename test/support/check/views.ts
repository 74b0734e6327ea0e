import { onDatabase } from '../servers/rows';

const COLUMNS =
  'id AS "bookInfoId", book_title AS title, total_stock AS "totalStock", available_stock AS "availableStock", version';

type Shown = Readonly<Record<string, unknown>>;

async function shown(url: string, path: string): Promise<Shown> {
  return (await (await fetch(`${url}${path}`)).json()) as Shown;
}

/**
 * I8: what each API shows of titles, in the detail and in the list, against the database. Nothing
 * must be changing them.
 */
export async function staleViews(
  env: Readonly<Record<string, string>>,
  urls: readonly string[],
  titles: readonly number[],
): Promise<string[]> {
  const rows = await onDatabase(env, (select) =>
    select(`SELECT ${COLUMNS} FROM book_info WHERE id IN (${titles.join()})`),
  );
  const found: string[] = [];
  for (const url of urls) {
    const list = ((await shown(url, '/api/book-infos?size=100&author=Fitzroy'))['items'] ??
      []) as Shown[];
    for (const row of rows) {
      const detail = await shown(url, `/api/book-infos/${String(row['bookInfoId'])}`);
      const listed = list.find(({ bookInfoId }) => bookInfoId === row['bookInfoId']);
      for (const [view, got] of Object.entries({ detail, listed })) {
        const wrong = Object.keys(row).filter((key) => got?.[key] !== row[key]);
        if (wrong.length > 0)
          found.push(
            `I8: ${view} of title ${String(row['bookInfoId'])} at ${url}: ${wrong.map((key) => `${key} ${String(got?.[key])}, stored ${String(row[key])}`).join(', ')}`,
          );
      }
    }
  }
  return found;
}
