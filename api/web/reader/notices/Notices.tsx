import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../../shared/client';
import { Empty } from '../../shared/Empty';
import { Heading } from '../../shared/Heading';
import { Shown } from '../../shared/Shown';
import { shownDay, texts } from '../../shared/texts';
import { useWrite } from '../../shared/write';
import { WriteButton } from '../../shared/WriteButton';
import { WriteProblem } from '../../shared/WriteProblem';
import { pathOfBook, pathOfCourse, places } from '../places';
import { noticesQuery, type Notice } from './queries';

function pathOfNotice({ bookInfoId, courseId }: Notice): string {
  if (bookInfoId !== null) return pathOfBook(bookInfoId);
  return courseId === null ? places.library : pathOfCourse(courseId);
}

function NoticeItem({ notice }: { readonly notice: Notice }) {
  const { title, type, until, createdAt, readAt } = notice;
  return (
    <li className={readAt === null ? 'unread' : ''}>
      <div>
        <Link href={pathOfNotice(notice)} className="title">
          {title}
        </Link>
        <span>{texts.notices.said(type, until)}</span>
      </div>
      <small>{shownDay(createdAt)}</small>
    </li>
  );
}

function ReadAll() {
  const readAll = useWrite((_: null, options) =>
    client.request('POST', '/api/notices/read-all', options),
  );
  return (
    <>
      <WriteButton write={readAll} input={null} label={texts.notices.readAll} isSecondary />
      <WriteProblem write={readAll} />
    </>
  );
}

/** What the reader was notified of, newest first. */
export function Notices() {
  return (
    <>
      <Heading>{texts.notices.heading}</Heading>
      <Shown query={useQuery(noticesQuery)}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={texts.notices.none} />
          ) : (
            <>
              {items.some(({ readAt }) => readAt === null) && <ReadAll />}
              <ul className="rows notices">
                {items.map((notice) => (
                  <NoticeItem key={notice.noticeId} notice={notice} />
                ))}
              </ul>
            </>
          )
        }
      </Shown>
    </>
  );
}
