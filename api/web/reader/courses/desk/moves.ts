import { useEffect, useRef, useState, type RefObject } from 'react';
import { texts } from '../../../shared/texts';
import { newIntent } from '../../../shared/write';
import type { Video } from '../queries';
import { useChangeVideo } from './writes';

/** Moving videos to other places of their list. */

export interface Moves {
  readonly write: ReturnType<typeof useChangeVideo>;
  readonly list: RefObject<HTMLOListElement | null>;
  /** What has moved where, for those who do not see it. */
  readonly said: string;
  /** `by`: the name of the button that was used, which keeps the focus. */
  readonly move: (video: Video, position: number, by?: 'up' | 'down') => void;
  readonly dragged: Video | null;
  readonly drag: (video: Video | null) => void;
}

interface LastMove {
  readonly videoId: number;
  readonly position: number;
  readonly by: 'up' | 'down' | undefined;
}

export function useMoves(courseId: number, videos: readonly Video[]): Moves {
  const write = useChangeVideo(courseId);
  const list = useRef<HTMLOListElement>(null);
  const last = useRef<LastMove>(null);
  const [said, say] = useState('');
  const [dragged, drag] = useState<Video | null>(null);

  const { isPending } = write;
  useEffect(() => {
    const { videoId, position, by } = last.current ?? {};
    const moved = videos.find((video) => video.videoId === videoId);
    if (!moved || moved.position !== position) return;
    if (by) {
      // The element may have lost the focus on its way; at an end it has only the other button.
      const row = list.current?.querySelector(`[data-video="${moved.videoId}"]`);
      (row?.querySelector<HTMLElement>(`[data-by=${by}]`) ?? row?.querySelector('button'))?.focus();
      last.current = { videoId: moved.videoId, position, by: undefined };
    }
    // Until then another move would not count.
    if (isPending) return;
    last.current = null;
    say(texts.courses.moved(moved.title, moved.position));
  }, [videos, isPending]);

  const move: Moves['move'] = (video, position, by) => {
    if (isPending || position === video.position) return;
    last.current = { videoId: video.videoId, position, by };
    write.mutate(newIntent({ videoId: video.videoId, changes: { position } }));
  };
  return { write, list, said, move, dragged, drag };
}
