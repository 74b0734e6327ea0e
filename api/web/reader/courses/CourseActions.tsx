import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client, type CallOptions, type Result, type Schemas } from '../../shared/client';
import { useSession, type User } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { useWrite } from '../../shared/write';
import { WriteButton } from '../../shared/WriteButton';
import { WriteProblem } from '../../shared/WriteProblem';
import { SignInLink } from '../SignInPlace';
import { pathOfVideo } from '../places';
import { progressQuery, takenCoursesQuery, videosQuery, type Course } from './queries';

/** What readers do with a course. */
interface CourseAction {
  readonly kind: 'subscribe' | 'join' | 'leave' | 'complete' | 'cancel';
  readonly courseId: number;
  readonly userId: number;
}

function carryOut(
  { kind, courseId, userId }: CourseAction,
  options: CallOptions,
): Promise<Result<unknown, unknown>> {
  switch (kind) {
    case 'subscribe':
      return client.subscriptions.create(courseId, options);
    case 'join':
      return client.request('POST', '/courses/{courseId}/waitlist', {
        ...options,
        path: { courseId },
      });
    case 'leave':
      return client.request('DELETE', '/courses/{courseId}/waitlist', {
        ...options,
        path: { courseId },
      });
    case 'complete':
      return client.subscriptions.complete({ userId, courseId }, options);
    case 'cancel':
      return client.subscriptions.cancel(courseId, options);
  }
}

/** The refusal of an action that says that it is done already. */
const DONE_ALREADY: Readonly<Partial<Record<CourseAction['kind'], string>>> = {
  subscribe: 'ALREADY_SUBSCRIBED',
  join: 'ALREADY_WAITING',
  leave: 'WAITLIST_ENTRY_NOT_FOUND',
};

type Status = Schemas['Subscription']['status'];
type Progress = Schemas['Subscription']['progress'];

const ACTIONS: Readonly<Record<Status | 'none', readonly CourseAction['kind'][]>> = {
  none: ['subscribe'],
  cancelled: ['subscribe'],
  in_progress: ['complete', 'cancel'],
  completed: [],
};

/** What somebody can do now. */
function actionsOf(
  { capacity, subscriberCount, status: state }: Course,
  status: Status | 'none',
  isWaiting: boolean,
): readonly CourseAction['kind'][] {
  if (isWaiting && status !== 'in_progress') return ['leave'];
  const isFull = capacity !== null && subscriberCount >= capacity;
  return ACTIONS[status]
    .filter((kind) => kind !== 'subscribe' || state === 'open')
    .map((kind) => (kind === 'subscribe' && isFull ? 'join' : kind));
}

/** Leads to the first video that is not done; that is the next step of who takes the course. */
function GoOn({
  courseId,
  done,
}: {
  readonly courseId: number;
  /** The ids of the videos that are done. */
  readonly done: readonly number[];
}) {
  const videos = useQuery(videosQuery(courseId)).data?.items ?? [];
  const next = videos.find(({ videoId, url }) => url !== null && !done.includes(videoId));
  return (
    next && (
      <Link href={pathOfVideo(courseId, next.videoId)} className="button">
        {done.length === 0 ? texts.courses.start : texts.courses.goOn}
      </Link>
    )
  );
}

function OwnActions({
  course,
  userId,
  status,
  progress,
  done,
  waitPosition,
}: {
  readonly course: Course;
  readonly userId: number;
  readonly status: Status | 'none';
  readonly progress: Progress | undefined;
  readonly done: readonly number[];
  readonly waitPosition: number | null;
}) {
  const write = useWrite(carryOut, { isSo: ({ code }, { kind }) => DONE_ALREADY[kind] === code });
  const { courseId, status: state } = course;
  const hasMore = progress !== undefined && progress.completedVideos < progress.totalVideos;
  return (
    <>
      <p role="status">
        {waitPosition !== null && status !== 'in_progress'
          ? texts.courses.onWaitlist(waitPosition)
          : status !== 'none' && texts.courses.states[status]}{' '}
        {state !== 'open' && texts.courses.closed}
      </p>
      {status === 'in_progress' && progress && progress.totalVideos > 0 && (
        <label>
          {texts.courses.progress(progress.completedVideos, progress.totalVideos)}
          <progress max={100} value={progress.percent} />
        </label>
      )}
      <div className="actions">
        {status === 'in_progress' && <GoOn courseId={courseId} done={done} />}
        {actionsOf(course, status, waitPosition !== null).map((kind) => (
          <WriteButton
            key={kind}
            write={write}
            input={{ kind, courseId, userId }}
            label={texts.courses[kind]}
            isSecondary={kind === 'complete' ? hasMore : kind === 'cancel' || kind === 'leave'}
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
  const taken = useQuery(takenCoursesQuery(userId));
  const { data } = useQuery(progressQuery(userId, course.courseId));
  return (
    <Shown query={taken}>
      {({ items }) => {
        const own = items.find(({ courseId }) => courseId === course.courseId);
        return (
          <OwnActions
            course={course}
            userId={userId}
            status={own?.status ?? 'none'}
            progress={own?.progress}
            done={data?.completedVideoIds ?? []}
            waitPosition={data?.waitPosition ?? null}
          />
        );
      }}
    </Shown>
  );
}

export function CourseActions({ course }: { readonly course: Course }) {
  const { user } = useSession();
  return user ? (
    <SignedInActions course={course} user={user} />
  ) : (
    <SignInLink className="button">{texts.courses.signInToSubscribe}</SignInLink>
  );
}
