import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Empty } from '../../shared/Empty';
import { fieldsOf } from '../../shared/form';
import { Heading } from '../../shared/Heading';
import { Pages } from '../../shared/Pages';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { pathOfCourse } from '../places';
import { Teaching } from './desk/Teaching';
import { coursesQuery, takenCoursesQuery, type Subscription } from './queries';

/** How far somebody is with a course. */
function stateOf({ status, completedAt, progress }: Subscription): string {
  if (completedAt !== null) return texts.courses.completedAt(completedAt);
  return status === 'in_progress' && progress.totalVideos > 0
    ? texts.courses.progress(progress.completedVideos, progress.totalVideos)
    : texts.courses.states[status];
}

function MyCourses({ userId }: { readonly userId: number }) {
  return (
    <section aria-label={texts.courses.mine}>
      <h2>{texts.courses.mine}</h2>
      <Shown query={useQuery(takenCoursesQuery(userId))}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={texts.courses.none} />
          ) : (
            <ul className="rows">
              {items.map((course) => (
                <li key={course.courseId}>
                  <Link href={pathOfCourse(course.courseId)} className="title">
                    {course.courseName}
                  </Link>
                  <small>{stateOf(course)}</small>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

function AllCourses() {
  const [{ q, page }, find] = useState({ q: '', page: 1 });
  return (
    <section aria-label={texts.courses.all}>
      <h2>{texts.courses.all}</h2>
      <search>
        <form
          className="search"
          onSubmit={(event) => {
            event.preventDefault();
            find({ q: fieldsOf(event.currentTarget)('q').trim(), page: 1 });
          }}
        >
          <label className="words">
            {texts.courses.words}
            <input type="search" name="q" maxLength={255} />
          </label>
          <button>{texts.courses.search}</button>
        </form>
      </search>
      <Shown query={useQuery(coursesQuery(q, page))}>
        {(list) => (
          <>
            {list.items.length === 0 && <p role="status">{texts.courses.noneFound}</p>}
            <ul className="rows">
              {list.items.map(
                ({ courseId, courseName, lecturer, videoCount, subscriberCount, capacity }) => (
                  <li key={courseId}>
                    <div>
                      <Link href={pathOfCourse(courseId)} className="title">
                        {courseName}
                      </Link>
                      <small>{lecturer.username}</small>
                    </div>
                    <small>
                      {texts.courses.videoCount(videoCount)},{' '}
                      {texts.courses.subscribers(subscriberCount, capacity)}
                    </small>
                  </li>
                ),
              )}
            </ul>
            <Pages
              list={list}
              go={(to) => {
                find({ q, page: to });
              }}
            />
          </>
        )}
      </Shown>
    </section>
  );
}

export function Courses() {
  const { user } = useSession();
  return (
    <>
      <Heading>{texts.courses.heading}</Heading>
      {user && <MyCourses userId={user.userId} />}
      {user?.role === 'lecturer' && <Teaching userId={user.userId} />}
      <AllCourses />
    </>
  );
}
