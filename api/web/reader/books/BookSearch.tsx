import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'wouter';
import { fieldsOf } from '../../shared/form';
import { Heading } from '../../shared/Heading';
import { Pages } from '../../shared/Pages';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { Cover } from './Cover';
import { searchQuery, type BookInfo, type BookSearch as Search, type Order } from './queries';

const ORDERS = Object.keys(texts.books.orders) as Order[];

/** What is searched for stands in the address, so that it is still there after a look at a title, and can be sent to somebody. */
function searchOf(text = ''): Search {
  const params = new URLSearchParams(text);
  const sort = ORDERS.find((order) => order === params.get('sort')) ?? '-createdAt';
  return { q: params.get('q') ?? '', sort, availableOnly: params.has('available'), page: Math.max(Number.parseInt(params.get('page') ?? '1') || 1, 1) };
}

function pathOf({ q, sort, availableOnly, page }: Search): string {
  const params = new URLSearchParams({ ...(q && { q }), sort, ...(availableOnly && { available: 'true' }), ...(page > 1 && { page: String(page) }) });
  return `/find/${encodeURIComponent(params.toString())}`;
}

function SearchForm({ search, go }: { readonly search: Search; readonly go: (search: Search) => void }) {
  const submit = (form: HTMLFormElement) => {
    const field = fieldsOf(form);
    go({ q: field('q').trim(), sort: searchOf(`sort=${field('sort')}`).sort, availableOnly: field('available') !== '', page: 1 });
  };
  const submitAtOnce = ({ currentTarget: { form } }: { readonly currentTarget: { readonly form: HTMLFormElement | null } }) => {
    if (form) submit(form);
  };
  return (
    <form
      className="search"
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      <label className="wide">
        {texts.books.words}
        <input type="search" name="q" defaultValue={search.q} maxLength={255} />
      </label>
      <label>
        {texts.books.order}
        <select name="sort" defaultValue={search.sort} onChange={submitAtOnce}>
          {ORDERS.map((order) => (
            <option key={order} value={order}>
              {texts.books.orders[order]}
            </option>
          ))}
        </select>
      </label>
      <button>{texts.books.search}</button>
      <label className="wide">
        <input type="checkbox" name="available" value="true" defaultChecked={search.availableOnly} onChange={submitAtOnce} />
        {texts.books.availableOnly}
      </label>
    </form>
  );
}

function FoundBook({ book: { bookInfoId, title, author, availableStock, totalStock } }: { readonly book: BookInfo }) {
  return (
    <li>
      <Link href={`/books/${bookInfoId}`}>
        <Cover title={title} author={author} />
        <span className="title">{title}</span>
      </Link>
      <span>{author}</span>
      <small className={availableStock > 0 ? 'available' : 'out'}>{texts.books.availability(availableStock, totalStock)}</small>
    </li>
  );
}

export function BookSearch() {
  const [, navigate] = useLocation();
  const search = searchOf(useParams<{ search?: string }>().search);
  const query = useQuery(searchQuery(search));
  const go = (next: Search) => {
    navigate(pathOf(next));
  };
  return (
    <>
      <Heading>{texts.books.heading}</Heading>
      <search>
        <SearchForm key={search.q} search={search} go={go} />
      </search>
      <Shown query={query}>
        {(list) => (
          <>
            <p role="status">{texts.books.found(list.totalItems, list.totalIsAtLeast ?? false)}</p>
            <ul className="shelf">
              {list.items.map((book) => (
                <FoundBook key={book.bookInfoId} book={book} />
              ))}
            </ul>
            <Pages
              list={list}
              go={(page) => {
                go({ ...search, page });
              }}
            />
          </>
        )}
      </Shown>
    </>
  );
}
