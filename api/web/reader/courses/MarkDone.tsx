import { useQuery } from '@tanstack/react-query';
import { useSession, type User } from '../../shared/session';
import { texts } from '../../shared/texts';
import { WriteButton } from '../../shared/WriteButton';
import { WriteProblem } from '../../shared/WriteProblem';
import { useCompletion, type Completion } from './completion';
import { progressQuery, takenCoursesQuery, type Video } from './queries';

type Id = Pick<Video, 'courseId' | 'videoId'>;

/** Whether somebody has completed a video; null for who does not take the course. */
export function useIsDone({ courseId, videoId }: Id, user: User | null): boolean | null {
  const userId = user?.userId ?? 0;
  const taken = useQuery({ ...takenCoursesQuery(userId), enabled: user !== null });
  const progress = useQuery({ ...progressQuery(userId, courseId), enabled: user !== null });
  const own = taken.data?.items.find((course) => course.courseId === courseId);
  if (own === undefined || own.status === 'cancelled' || !progress.data) return null;
  return progress.data.completedVideoIds.includes(videoId);
}

/** Says whether a video is done, and changes that. */
export function MarkDone({ video }: { readonly video: Video }) {
  const { user } = useSession();
  const isDone = useIsDone(video, user);
  const write = useCompletion();
  if (!user || isDone === null) return null;
  const { courseId, videoId, title } = video;
  const input: Completion = {
    method: isDone ? 'DELETE' : 'PUT',
    userId: user.userId,
    courseId,
    videoId,
  };
  const label = isDone ? texts.courses.markOpen : texts.courses.markDone;
  return (
    <>
      {isDone && <span className="badge good">{texts.courses.videoDone}</span>}
      <WriteButton
        write={write}
        input={input}
        label={label}
        name={`${label}: ${title}`}
        isSecondary
        isSmall
      />
      <WriteProblem write={write} />
    </>
  );
}
