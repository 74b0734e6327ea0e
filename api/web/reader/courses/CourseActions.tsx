import { useQuery } from '@tanstack/react-query';
import { client, type Call, type Schemas } from '../../shared/client';
import { useSession, type User } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { useWrite, type WriteHeaders } from '../../shared/write';
import { WriteButton } from '../../shared/WriteButton';
import { WriteProblem } from '../../shared/WriteProblem';
import { SignInLink } from '../SignInPlace';
import { takenCoursesQuery, type Course } from './queries';

/** What readers do with a course. */
interface CourseAction {
  readonly kind: 'subscribe' | 'complete' | 'cancel';
  readonly courseId: number;
  readonly userId: number;
}

function carryOut({ kind, courseId, userId }: CourseAction, header: WriteHeaders): Call<unknown> {
  switch (kind) {
    case 'subscribe':
      return client.POST('/courses/{courseId}/subscriptions', {
        params: { header, path: { courseId } },
      });
    case 'complete':
      return client.PATCH('/users/{userId}/courses/{courseId}/status', {
        params: { header, path: { userId, courseId } },
      });
    case 'cancel':
      return client.DELETE('/courses/{courseId}/subscriptions', {
        params: { header, path: { courseId } },
      });
  }
}

type Status = Schemas['Subscription']['status'];

const ACTIONS: Readonly<Record<Status | 'none', readonly CourseAction['kind'][]>> = {
  none: ['subscribe'],
  cancelled: ['subscribe'],
  in_progress: ['complete', 'cancel'],
  completed: [],
};

function OwnActions({
  course: { courseId, capacity, subscriberCount },
  userId,
  status,
}: {
  readonly course: Course;
  readonly userId: number;
  readonly status: Status | 'none';
}) {
  const write = useWrite(carryOut);
  const isFull = capacity !== null && subscriberCount >= capacity;
  const actions = ACTIONS[status].filter((kind) => kind !== 'subscribe' || !isFull);
  return (
    <>
      <p role="status">
        {status !== 'none' && texts.courses.states[status]}{' '}
        {isFull && ACTIONS[status].includes('subscribe') && texts.courses.full}
      </p>
      <div className="actions">
        {actions.map((kind) => (
          <WriteButton
            key={kind}
            write={write}
            input={{ kind, courseId, userId }}
            label={texts.courses[kind]}
            isSecondary={kind === 'cancel'}
          />
        ))}
      </div>
      <WriteProblem write={write} />
    </>
  );
}

function SignedInActions({
  course,
  user: { userId },
}: {
  readonly course: Course;
  readonly user: User;
}) {
  return (
    <Shown query={useQuery(takenCoursesQuery(userId))}>
      {({ items }) => (
        <OwnActions
          course={course}
          userId={userId}
          status={items.find(({ courseId }) => courseId === course.courseId)?.status ?? 'none'}
        />
      )}
    </Shown>
  );
}

export function CourseActions({ course }: { readonly course: Course }) {
  const { user } = useSession();
  return user ? (
    <SignedInActions course={course} user={user} />
  ) : (
    <SignInLink>{texts.courses.signInToSubscribe}</SignInLink>
  );
}
