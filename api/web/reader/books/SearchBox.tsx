import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';
import { texts } from '../../shared/texts';
import { places } from '../places';
import { pathOfSearch, searchOf } from './search-place';

/** A pause in typing after which is searched, milliseconds. */
const TYPED_MS = 250;

/** Searches while somebody types, from every place. */
export function SearchBox() {
  const [place, navigate] = useLocation();
  const search = searchOf(useSearch());
  const isSearch = place === places.books;
  const [typed, setTyped] = useState<string | null>(null);
  const timer = useRef(0);
  // What was typed is in the address, or somebody has gone elsewhere.
  useEffect(() => {
    // A search that is still to come must not take them back from there.
    if (!isSearch) {
      clearTimeout(timer.current);
      timer.current = 0;
    }
    if (timer.current === 0)
      setTyped((text) => (text !== null && text.trim() === search.q ? text : null));
  }, [place, search.q]);
  const find = (text: string) => {
    clearTimeout(timer.current);
    timer.current = 0;
    const q = text.trim();
    // One search is one step back, however many letters it had.
    navigate(pathOfSearch({ q, availableOnly: isSearch && search.availableOnly }), {
      replace: isSearch,
    });
  };
  const shown = typed ?? (isSearch ? search.q : '');
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          find(shown);
        }}
      >
        <input
          type="search"
          name="q"
          aria-label={texts.books.words}
          placeholder={texts.books.words}
          value={shown}
          maxLength={255}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            clearTimeout(timer.current);
            timer.current = window.setTimeout(() => {
              find(value);
            }, TYPED_MS);
          }}
          onKeyDown={(event) => {
            // This Enter ends a composition of letters, and is no wish to search.
            if (event.key === 'Enter' && event.nativeEvent.isComposing) event.preventDefault();
          }}
        />
      </form>
    </search>
  );
}
