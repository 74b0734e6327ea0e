import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';
import { Empty } from '../../shared/Empty';
import { Heading } from '../../shared/Heading';
import { Pages } from '../../shared/Pages';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { places } from '../places';
import { countQuery, searchQuery } from './queries';
import { ORDERS, pathOfSearch, searchOf, type BookSearch as Search } from './search-place';
import { InStock, ShelfBook } from './Shelf';

/** A filter with how many titles it leaves. */
function Facet({
  label,
  search,
  isChosen,
}: {
  readonly label: string;
  readonly search: Search;
  readonly isChosen: boolean;
}) {
  const { data } = useQuery(countQuery(search));
  return (
    <Link
      href={pathOfSearch({ ...search, page: 1 })}
      className="facet"
      aria-current={isChosen ? 'true' : undefined}
    >
      {label}{' '}
      {data && (
        <small>{texts.books.facetCount(data.totalItems, data.totalIsAtLeast ?? false)}</small>
      )}
    </Link>
  );
}

function Filters({ search }: { readonly search: Search }) {
  const [, navigate] = useLocation();
  return (
    <div className="filters">
      <div className="facets" role="group" aria-label={texts.books.filter}>
        {[false, true].map((availableOnly) => (
          <Facet
            key={String(availableOnly)}
            label={availableOnly ? texts.books.availableOnly : texts.all}
            search={{ ...search, availableOnly }}
            isChosen={search.availableOnly === availableOnly}
          />
        ))}
        {search.author !== '' && (
          <Link href={pathOfSearch({ ...search, author: '', page: 1 })} className="facet">
            {texts.books.by(search.author)} <span aria-hidden="true">×</span>
            <span className="visually-hidden">{texts.books.anyAuthor}</span>
          </Link>
        )}
      </div>
      <label>
        {texts.books.order}
        <select
          name="sort"
          value={search.sort}
          onChange={({ currentTarget: { value } }) => {
            const sort = ORDERS.find((order) => order === value) ?? search.sort;
            navigate(pathOfSearch({ ...search, sort, page: 1 }));
          }}
        >
          {ORDERS.filter((order) => order !== 'relevance' || search.q !== '').map((order) => (
            <option key={order} value={order}>
              {texts.books.orders[order]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

export function BookSearch() {
  const [, navigate] = useLocation();
  const search = searchOf(useSearch());
  return (
    <>
      <Heading>{texts.books.heading}</Heading>
      <Filters search={search} />
      <Shown query={useQuery(searchQuery(search))}>
        {(list) => (
          <>
            <p role="status" className="muted">
              {texts.books.found(list.totalItems, list.totalIsAtLeast ?? false)}
            </p>
            {list.items.length === 0 && (
              <Empty text={texts.books.noneFound}>
                <Link href={places.books}>{texts.books.showAll}</Link>
              </Empty>
            )}
            <ul className="shelf">
              {list.items.map((book) => (
                <ShelfBook key={book.bookInfoId} book={book}>
                  <InStock book={book} />
                </ShelfBook>
              ))}
            </ul>
            <Pages
              list={list}
              go={(page) => {
                navigate(pathOfSearch({ ...search, page }));
                window.scrollTo(0, 0);
              }}
            />
          </>
        )}
      </Shown>
    </>
  );
}
