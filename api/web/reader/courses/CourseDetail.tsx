import { useQuery } from '@tanstack/react-query';
import { Heading } from '../../shared/Heading';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { CourseActions } from './CourseActions';
import { courseQuery } from './queries';
import { Videos } from './Videos';

export function CourseDetail({ courseId }: { readonly courseId: number }) {
  const { user } = useSession();
  return (
    <Shown query={useQuery(courseQuery(courseId))}>
      {(course) => (
        <>
          <Heading>{course.courseName}</Heading>
          <p>
            {texts.courses.lecturer}: {course.lecturer.username}
          </p>
          <p role="status">
            {texts.courses.videoCount(course.videoCount)},{' '}
            {texts.courses.subscribers(course.subscriberCount, course.capacity)}
          </p>
          <CourseActions course={course} />
          {user && (user.isAdmin || user.userId === course.userId) && (
            <Videos courseId={courseId} />
          )}
        </>
      )}
    </Shown>
  );
}
