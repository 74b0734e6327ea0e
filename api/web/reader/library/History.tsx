import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Empty } from '../../shared/Empty';
import { Pages } from '../../shared/Pages';
import { Shown } from '../../shared/Shown';
import { shownDay, texts } from '../../shared/texts';
import { historyQuery, type Borrow } from '../books/queries';
import { pathOfBook } from '../places';

function HistoryRow({
  borrow: { bookInfoId, title, borrowedAt, returnedAt, status },
}: {
  readonly borrow: Borrow;
}) {
  return (
    <tr>
      <td>
        <Link href={pathOfBook(bookInfoId)}>{title}</Link>
      </td>
      <td>{shownDay(borrowedAt)}</td>
      <td>
        {returnedAt !== null && shownDay(returnedAt)} {status === 'LOST' && texts.mine.lost}
      </td>
    </tr>
  );
}

/** The borrows that are over, latest first. */
export function History() {
  const [page, setPage] = useState(1);
  return (
    <section aria-label={texts.mine.history}>
      <h2>{texts.mine.history}</h2>
      <Shown query={useQuery(historyQuery(page))}>
        {(list) =>
          list.items.length === 0 ? (
            <Empty text={texts.mine.noHistory} />
          ) : (
            <>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{texts.mine.title}</th>
                    <th scope="col">{texts.mine.from}</th>
                    <th scope="col">{texts.mine.until}</th>
                  </tr>
                </thead>
                <tbody>
                  {list.items.map((borrow) => (
                    <HistoryRow key={borrow.borrowId} borrow={borrow} />
                  ))}
                </tbody>
              </table>
              <Pages list={list} go={setPage} />
            </>
          )
        }
      </Shown>
    </section>
  );
}
