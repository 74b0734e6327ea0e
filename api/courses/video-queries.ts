import { CourseVideo } from '../../shared/courses/tables';
import { videoView, type VideoRow, type VideoView } from '../../shared/courses/views';
import { limitsOf, type Page } from '../http/requests/paging';
import { countUpTo, withTotal, type Found } from '../reads/found';
import type { StoredInstant } from '../reads/stored';

/** What reads of videos ask of the database. */

type StoredVideo = Omit<VideoRow, 'createdAt'> & { readonly createdAt: StoredInstant };

const shownVideo = (row: StoredVideo, withUrl: boolean): VideoView =>
  videoView({ ...row, createdAt: new Date(row.createdAt) }, withUrl);

/** Returns the videos of a course in order. `withUrl`: for callers who may watch them. */
export async function findVideos(
  courseId: number,
  page: Page,
  withUrl: boolean,
): Promise<Found<VideoView>> {
  const rows = await CourseVideo.findAll({
    where: { courseId },
    order: ['position'],
    ...limitsOf(page),
    raw: true,
  });
  const items = (rows as unknown as StoredVideo[]).map((row) => shownVideo(row, withUrl));
  return withTotal(page, items, () => countUpTo(CourseVideo, { courseId }));
}

/** Returns a video of a course. `withUrl`: for callers who may watch it. */
export async function findVideo(
  courseId: number,
  id: number,
  withUrl: boolean,
): Promise<VideoView | null> {
  const row = await CourseVideo.findOne({ where: { courseId, id }, raw: true });
  return row && shownVideo(row, withUrl);
}
