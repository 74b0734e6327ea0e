import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Heading } from '../../shared/Heading';
import { Pages } from '../../shared/Pages';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { useSegment } from '../segment';
import { Cover } from './Cover';
import { searchQuery, type BookInfo, type BookSearch as Search, type Order } from './queries';

const ORDERS = Object.keys(texts.books.orders) as Order[];

const orderOf = (text: string | null): Order =>
  ORDERS.find((order) => order === text) ?? '-createdAt';

/**
 * What is searched for stands in the address, so that it is still there after a look at a title,
 * and can be sent to somebody.
 */
function searchOf(text: string): Search {
  const params = new URLSearchParams(text);
  return {
    q: params.get('q') ?? '',
    sort: orderOf(params.get('sort')),
    availableOnly: params.has('available'),
    page: Math.max(Number.parseInt(params.get('page') ?? '1') || 1, 1),
  };
}

function pathOf({ q, sort, availableOnly, page }: Search): string {
  const params = new URLSearchParams({
    ...(q && { q }),
    sort,
    ...(availableOnly && { available: 'true' }),
    ...(page > 1 && { page: String(page) }),
  });
  return `/find/${params.toString()}`;
}

/** The address says what is searched for; what is typed counts once it is sent. */
function SearchForm({
  search,
  go,
}: {
  readonly search: Search;
  readonly go: (search: Search) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const goTo = (changes: Partial<Search>) => {
    go({ ...search, q: (typed ?? search.q).trim(), ...changes, page: 1 });
    setTyped(null);
  };
  return (
    <form
      className="search"
      onSubmit={(event) => {
        event.preventDefault();
        goTo({});
      }}
    >
      <label className="words">
        {texts.books.words}
        <input
          type="search"
          name="q"
          value={typed ?? search.q}
          maxLength={255}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
          }}
        />
      </label>
      <label>
        {texts.books.order}
        <select
          name="sort"
          value={search.sort}
          onChange={({ currentTarget }) => {
            goTo({ sort: orderOf(currentTarget.value) });
          }}
        >
          {ORDERS.map((order) => (
            <option key={order} value={order}>
              {texts.books.orders[order]}
            </option>
          ))}
        </select>
      </label>
      <button>{texts.books.search}</button>
      <label className="alone">
        <input
          type="checkbox"
          name="available"
          checked={search.availableOnly}
          onChange={({ currentTarget }) => {
            goTo({ availableOnly: currentTarget.checked });
          }}
        />
        {texts.books.availableOnly}
      </label>
    </form>
  );
}

function FoundBook({
  book: { bookInfoId, title, author, availableStock, totalStock },
}: {
  readonly book: BookInfo;
}) {
  return (
    <li>
      <Link href={`/books/${bookInfoId}`}>
        <Cover title={title} author={author} />
        <span className="title">{title}</span>
      </Link>
      <span>{author}</span>
      <small className={availableStock > 0 ? 'available' : 'out'}>
        {texts.books.availability(availableStock, totalStock)}
      </small>
    </li>
  );
}

export function BookSearch() {
  const [, navigate] = useLocation();
  const search = searchOf(useSegment(2));
  const query = useQuery(searchQuery(search));
  const go = (next: Search) => {
    navigate(pathOf(next));
  };
  return (
    <>
      <Heading>{texts.books.heading}</Heading>
      <search>
        <SearchForm search={search} go={go} />
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
