import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Empty } from '../../shared/Empty';
import { Heading } from '../../shared/Heading';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { newIntent } from '../../shared/write';
import { WriteProblem } from '../../shared/WriteProblem';
import { pathOfCourse, pathOfVideo } from '../places';
import { useCompletion } from './completion';
import { Crumbs } from './Crumbs';
import { MarkDone, useIsDone } from './MarkDone';
import { hostOf, playbackOf } from './playback';
import { videosQuery, type Video } from './queries';
import { Syllabus } from './Videos';

/** What a foreign page in the frame may do beside showing its video. */
const SANDBOX = 'allow-scripts allow-same-origin allow-presentation';

interface ScreenProps {
  readonly url: string;
  readonly title: string;
  readonly ended: () => void;
}

function Elsewhere({ url, says }: { readonly url: string; readonly says: string }) {
  return (
    <div className="screen elsewhere">
      <p>{says}</p>
      <a className="button" href={url} rel="noreferrer" target="_blank">
        {texts.courses.watchAt(hostOf(url))}
      </a>
    </div>
  );
}

function Screen({ url, title, ended }: ScreenProps) {
  const [hasFailed, setHasFailed] = useState(false);
  const playback = playbackOf(url);
  if (playback === 'elsewhere') return <Elsewhere url={url} says={texts.courses.elsewhere} />;
  if (hasFailed) return <Elsewhere url={url} says={texts.courses.notPlayed} />;
  return playback === 'file' ? (
    <video
      className="screen"
      src={url}
      controls
      preload="metadata"
      aria-label={title}
      onEnded={ended}
      onError={() => {
        setHasFailed(true);
      }}
    />
  ) : (
    <iframe
      className="screen"
      src={url}
      title={title}
      sandbox={SANDBOX}
      allow="fullscreen"
      referrerPolicy="strict-origin-when-cross-origin"
    />
  );
}

/** The video, which counts as done when it has been played to its end. */
function Watched({ video, next }: { readonly video: Video; readonly next: Video | undefined }) {
  const { user } = useSession();
  const isDone = useIsDone(video, user);
  const done = useCompletion();
  const { courseId, videoId, title, url } = video;
  if (url === null)
    return (
      <Empty text={texts.courses.toWatch}>
        <Link href={pathOfCourse(courseId)}>{texts.courses.heading}</Link>
      </Empty>
    );
  return (
    <>
      <Screen
        url={url}
        title={title}
        ended={() => {
          if (user && isDone === false)
            done.mutate(newIntent({ method: 'PUT', userId: user.userId, courseId, videoId }));
        }}
      />
      <WriteProblem write={done} />
      <div className="actions" role="status">
        <MarkDone video={video} />
        {next && (
          <Link className="button" href={pathOfVideo(courseId, next.videoId)}>
            {texts.courses.nextVideo}
          </Link>
        )}
      </div>
    </>
  );
}

/** Plays one video of a course, beside the others. */
export function Player({
  courseId,
  videoId,
}: {
  readonly courseId: number;
  readonly videoId: number;
}) {
  return (
    <>
      <Crumbs courseId={courseId} />
      <Shown query={useQuery(videosQuery(courseId))}>
        {({ items }) => {
          const index = items.findIndex((video) => video.videoId === videoId);
          const video = items[index];
          if (!video) return <Empty text={texts.problems['VIDEO_NOT_FOUND'] ?? ''} />;
          return (
            <>
              <Heading>{video.title}</Heading>
              <div className="player">
                <div>
                  <Watched key={videoId} video={video} next={items[index + 1]} />
                </div>
                <Syllabus courseId={courseId} current={videoId} />
              </div>
            </>
          );
        }}
      </Shown>
    </>
  );
}
