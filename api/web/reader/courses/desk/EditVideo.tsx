import { useId, useState } from 'react';
import { changesOf } from '../../../shared/changes';
import { Confirmed } from '../../../shared/Confirmed';
import { texts } from '../../../shared/texts';
import { newIntent } from '../../../shared/write';
import { WriteForm } from '../../../shared/WriteForm';
import { WriteProblem } from '../../../shared/WriteProblem';
import type { Video } from '../queries';
import type { Moves } from './moves';
import { VideoFields } from './VideoFields';
import { useChangeVideo, videoTextsOf } from './writes';

const of = texts.courses;

function MoveButton({
  video,
  by,
  moves,
}: {
  readonly video: Video;
  readonly by: 'up' | 'down';
  readonly moves: Moves;
}) {
  const label = by === 'up' ? of.moveUp : of.moveDown;
  return (
    <button
      type="button"
      className="secondary small"
      data-by={by}
      aria-label={`${label}: ${video.title}`}
      aria-disabled={moves.write.isPending}
      onClick={() => {
        moves.move(video, video.position + (by === 'up' ? -1 : 1), by);
      }}
    >
      <span aria-hidden="true">{by === 'up' ? '↑' : '↓'}</span>
    </button>
  );
}

/** What is dragged; the buttons do the same for those who do not drag. */
function Handle({ video, moves }: { readonly video: Video; readonly moves: Moves }) {
  return (
    <span
      className="handle"
      aria-hidden="true"
      draggable
      onDragStart={({ dataTransfer, currentTarget }) => {
        dataTransfer.effectAllowed = 'move';
        dataTransfer.setData('text/plain', video.title);
        const row = currentTarget.closest('li');
        if (row) dataTransfer.setDragImage(row, 0, 0);
        moves.drag(video);
      }}
      onDragEnd={() => {
        moves.drag(null);
      }}
    >
      ⠿
    </span>
  );
}

function Texts({ video }: { readonly video: Video }) {
  const change = useChangeVideo(video.courseId);
  const { videoId, title } = video;
  return (
    <WriteForm
      write={change}
      read={(field) => {
        const changes = changesOf(video, videoTextsOf(field));
        return changes && { videoId, changes };
      }}
      label={`${of.editVideo}: ${title}`}
      button={of.save}
      done={() => of.saved}
      keeps
    >
      <VideoFields
        key={`${title} ${video.url ?? ''} ${video.durationSeconds ?? ''}`}
        error={change.error}
        given={video}
      />
    </WriteForm>
  );
}

/** A video in the list of the lecturer's desk. */
export function EditVideo({
  video,
  count,
  moves,
}: {
  readonly video: Video;
  readonly count: number;
  readonly moves: Moves;
}) {
  const remove = useChangeVideo(video.courseId);
  const { videoId, title, position } = video;
  const { dragged } = moves;
  const [isEdited, setIsEdited] = useState(false);
  const textsId = useId();
  return (
    <li
      data-video={videoId}
      className={dragged?.videoId === videoId ? 'dragged' : ''}
      onDragOver={(event) => {
        if (dragged) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        if (dragged) moves.move(dragged, position);
        moves.drag(null);
      }}
    >
      <Handle video={video} moves={moves} />
      <span className="number">{position}</span>
      <span className="name">{title}</span>
      <span className="actions">
        {position > 1 && <MoveButton video={video} by="up" moves={moves} />}
        {position < count && <MoveButton video={video} by="down" moves={moves} />}
        <button
          type="button"
          className="secondary small"
          aria-label={`${of.editVideo}: ${title}`}
          aria-expanded={isEdited}
          aria-controls={textsId}
          onClick={() => {
            setIsEdited(!isEdited);
          }}
        >
          {of.editVideo}
        </button>
        <Confirmed
          label={of.removeVideo}
          name={`${of.removeVideo}: ${title}`}
          question={of.removeVideoQuestion(title)}
          explained={of.removeVideoExplained}
          confirm={of.removeVideo}
          isBusy={remove.isPending}
          isSmall
          act={() => {
            remove.mutate(newIntent({ videoId, changes: null }));
          }}
        />
      </span>
      <WriteProblem write={remove} />
      <div id={textsId} hidden={!isEdited}>
        <Texts video={video} />
      </div>
    </li>
  );
}
