import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { texts } from '../../shared/texts';
import { pathOfCourse, places } from '../places';
import { courseQuery } from './queries';

/** The way back from a place of a course. */
export function Crumbs({ courseId }: { readonly courseId: number }) {
  const course = useQuery(courseQuery(courseId));
  return (
    <p className="muted">
      <Link href={places.courses}>{texts.courses.heading}</Link> ›{' '}
      <Link href={pathOfCourse(courseId)}>{course.data?.courseName ?? '…'}</Link>
    </p>
  );
}
