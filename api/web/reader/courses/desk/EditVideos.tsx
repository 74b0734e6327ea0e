import { useQuery } from '@tanstack/react-query';
import { Empty } from '../../../shared/Empty';
import { Shown } from '../../../shared/Shown';
import { texts } from '../../../shared/texts';
import { WriteForm } from '../../../shared/WriteForm';
import { WriteProblem } from '../../../shared/WriteProblem';
import { videosQuery, type Video } from '../queries';
import { EditVideo } from './EditVideo';
import { useMoves } from './moves';
import { VideoFields } from './VideoFields';
import { useAddVideo, videoTextsOf } from './writes';

const of = texts.courses;

function AddVideo({ courseId }: { readonly courseId: number }) {
  const add = useAddVideo(courseId);
  return (
    <details>
      <summary>{of.addVideo}</summary>
      <WriteForm
        write={add}
        read={videoTextsOf}
        label={of.addVideo}
        button={of.addVideo}
        done={({ title }) => title}
      >
        <VideoFields error={add.error} />
      </WriteForm>
    </details>
  );
}

function Ordered({
  courseId,
  videos,
}: {
  readonly courseId: number;
  readonly videos: readonly Video[];
}) {
  const moves = useMoves(courseId, videos);
  return (
    <>
      <p className="muted">{of.moveHint}</p>
      <ol className="syllabus ordered" ref={moves.list}>
        {videos.map((video) => (
          <EditVideo key={video.videoId} video={video} count={videos.length} moves={moves} />
        ))}
      </ol>
      <p role="status" className="visually-hidden">
        {moves.said}
      </p>
      <WriteProblem write={moves.write} />
    </>
  );
}

/** The videos of a course: order, texts, new ones. */
export function EditVideos({ courseId }: { readonly courseId: number }) {
  return (
    <section aria-label={of.videos}>
      <h2>{of.videos}</h2>
      <Shown query={useQuery(videosQuery(courseId))}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={of.noVideos} />
          ) : (
            <Ordered courseId={courseId} videos={items} />
          )
        }
      </Shown>
      <AddVideo courseId={courseId} />
    </section>
  );
}
