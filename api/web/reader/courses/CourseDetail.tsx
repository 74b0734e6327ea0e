import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Heading } from '../../shared/Heading';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { pathOfCourseDesk } from '../places';
import { CourseActions } from './CourseActions';
import { courseQuery, type Course } from './queries';
import { Syllabus } from './Videos';

function Seats({
  course: { capacity, subscriberCount, waitingCount, status },
}: {
  readonly course: Course;
}) {
  const left = capacity === null ? null : Math.max(capacity - subscriberCount, 0);
  return (
    <>
      {left !== null && status === 'open' && (
        <span className={`badge ${left > 0 ? 'good' : 'warn'}`}>
          {left > 0 ? texts.courses.seatsLeft(left) : texts.courses.full}
        </span>
      )}{' '}
      {waitingCount > 0 && <span className="badge">{texts.courses.waiting(waitingCount)}</span>}
    </>
  );
}

export function CourseDetail({ courseId }: { readonly courseId: number }) {
  const { user } = useSession();
  return (
    <Shown query={useQuery(courseQuery(courseId))}>
      {(course) => (
        <>
          <div className="place-head">
            <Heading>{course.courseName}</Heading>
            {user && (user.isAdmin || user.userId === course.userId) && (
              <Link href={pathOfCourseDesk(courseId)} className="button secondary">
                {texts.courses.desk}
              </Link>
            )}
          </div>
          <p className="muted">
            {texts.courses.lecturer}: {course.lecturer.username}
          </p>
          <p role="status">
            {texts.courses.videoCount(course.videoCount)},{' '}
            {texts.courses.subscribers(course.subscriberCount, course.capacity)}{' '}
            <Seats course={course} />
          </p>
          <CourseActions course={course} />
          <Syllabus courseId={courseId} />
        </>
      )}
    </Shown>
  );
}
