import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Empty } from '../../shared/Empty';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { pathOfVideo } from '../places';
import { MarkDone } from './MarkDone';
import { videosQuery, type Video } from './queries';

function VideoItem({ video, isCurrent }: { readonly video: Video; readonly isCurrent: boolean }) {
  const { courseId, videoId, title, url, position, durationSeconds } = video;
  return (
    <li>
      <span className="number">{position}</span>
      <span className="name">
        {url === null ? (
          title
        ) : (
          <Link href={pathOfVideo(courseId, videoId)} aria-current={isCurrent ? 'true' : undefined}>
            {title}
          </Link>
        )}
      </span>
      {durationSeconds !== null && (
        <small className="muted">{texts.courses.seconds(durationSeconds)}</small>
      )}
      {url !== null && !isCurrent && <MarkDone video={video} />}
    </li>
  );
}

/** The videos in their order, which lead to the player for subscribers and the lecturer. */
export function Syllabus({
  courseId,
  current,
}: {
  readonly courseId: number;
  /** The id of the video that is played beside the list. */
  readonly current?: number;
}) {
  return (
    <section aria-label={texts.courses.videos}>
      <h2>{texts.courses.videos}</h2>
      <Shown query={useQuery(videosQuery(courseId))}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={texts.courses.noVideos} />
          ) : (
            <ol className="syllabus">
              {items.map((video) => (
                <VideoItem
                  key={video.videoId}
                  video={video}
                  isCurrent={video.videoId === current}
                />
              ))}
            </ol>
          )
        }
      </Shown>
    </section>
  );
}
