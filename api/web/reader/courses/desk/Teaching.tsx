import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { texts } from '../../../shared/texts';
import { WriteForm } from '../../../shared/WriteForm';
import { pathOfCourse, pathOfCourseDesk } from '../../places';
import { taughtCoursesQuery } from '../queries';
import { CourseFields } from './CourseFields';
import { newCourseOf, useCreateCourse } from './writes';

const of = texts.courses;

/** What a lecturer teaches, and a form for one course more. */
export function Teaching({ userId }: { readonly userId: number }) {
  const create = useCreateCourse();
  const taught = useQuery(taughtCoursesQuery(userId)).data?.items ?? [];
  return (
    <section aria-label={of.teaching}>
      <h2>{of.teaching}</h2>
      <ul className="rows">
        {taught.map(({ courseId, courseName, subscriberCount, capacity }) => (
          <li key={courseId}>
            <div>
              <Link href={pathOfCourse(courseId)} className="title">
                {courseName}
              </Link>
              <small>{of.subscribers(subscriberCount, capacity)}</small>
            </div>
            <Link
              href={pathOfCourseDesk(courseId)}
              className="button secondary small"
              aria-label={`${of.desk}: ${courseName}`}
            >
              {of.desk}
            </Link>
          </li>
        ))}
      </ul>
      <details>
        <summary>{of.create}</summary>
        <WriteForm
          write={create}
          read={newCourseOf}
          label={of.create}
          button={of.create}
          done={({ courseId, courseName }) => (
            <Link href={pathOfCourseDesk(courseId)}>{of.created(courseName)}</Link>
          )}
        >
          <CourseFields error={create.error} />
        </WriteForm>
      </details>
    </section>
  );
}
