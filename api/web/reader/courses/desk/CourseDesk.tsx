import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { changesOf } from '../../../shared/changes';
import { Confirmed } from '../../../shared/Confirmed';
import { Heading } from '../../../shared/Heading';
import type { User } from '../../../shared/session';
import { Shown } from '../../../shared/Shown';
import { texts } from '../../../shared/texts';
import { newIntent } from '../../../shared/write';
import { WriteForm } from '../../../shared/WriteForm';
import { WriteProblem } from '../../../shared/WriteProblem';
import { places } from '../../places';
import { Crumbs } from '../Crumbs';
import { courseQuery, type Course } from '../queries';
import { CourseFields } from './CourseFields';
import { EditVideos } from './EditVideos';
import { Roster, Waitlist } from './Roster';
import { newCourseOf, useChangeCourse, useDeleteCourse } from './writes';

const of = texts.courses;

function Details({ course }: { readonly course: Course }) {
  const change = useChangeCourse(course.courseId);
  const { courseName, capacity, status, completesAutomatically } = course;
  return (
    <section aria-label={of.details}>
      <h2>{of.details}</h2>
      <WriteForm
        write={change}
        read={(field) =>
          changesOf(course, {
            ...newCourseOf(field),
            status: field('status') as Course['status'],
          })
        }
        label={of.details}
        button={of.save}
        done={() => of.saved}
        keeps
      >
        <CourseFields
          key={[courseName, capacity, status, completesAutomatically].join()}
          error={change.error}
          given={course}
        />
      </WriteForm>
    </section>
  );
}

function DeleteCourse({ course: { courseId, courseName } }: { readonly course: Course }) {
  const [, navigate] = useLocation();
  const remove = useDeleteCourse(() => {
    navigate(places.courses, { replace: true });
  });
  return (
    <>
      <Confirmed
        label={of.remove}
        question={of.removeQuestion(courseName)}
        explained={of.removeExplained}
        confirm={of.remove}
        isBusy={remove.isPending}
        act={() => {
          remove.mutate(newIntent(courseId));
        }}
      />
      <WriteProblem write={remove} />
    </>
  );
}

/** Where a lecturer manages a course. */
export function CourseDesk({ courseId, user }: { readonly courseId: number; readonly user: User }) {
  return (
    <Shown query={useQuery(courseQuery(courseId))}>
      {(course) => (
        <>
          <Crumbs courseId={courseId} />
          <Heading>{of.desk}</Heading>
          {user.isAdmin || user.userId === course.userId ? (
            <>
              <Details course={course} />
              <EditVideos courseId={courseId} />
              <Roster courseId={courseId} />
              <Waitlist courseId={courseId} />
              <DeleteCourse course={course} />
            </>
          ) : (
            <p role="alert">{of.notYours}</p>
          )}
        </>
      )}
    </Shown>
  );
}
