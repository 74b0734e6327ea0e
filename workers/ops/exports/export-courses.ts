import { col, Op } from 'sequelize';
import type { CourseStatus } from '../../../shared/courses/commands';
import { Course, CourseVideo } from '../../../shared/courses/tables';
import { User } from '../../../shared/identity/tables';
import { exportCommand, type Rows } from './export-command';

interface CourseRow {
  readonly courseName: string;
  readonly lecturer: string;
  readonly capacity: number | null;
  readonly status: CourseStatus;
  readonly completesAutomatically: boolean;
  readonly videos: readonly Pick<CourseVideo, 'title' | 'url' | 'durationSeconds'>[];
}

interface StoredCourse extends Omit<CourseRow, 'lecturer' | 'videos' | 'completesAutomatically'> {
  readonly id: number;
  readonly lecturerName: string;
  readonly completesAutomatically: boolean | number;
}

/** Returns the videos of courses, in their order. */
async function videosOf(courseId: readonly number[]): Promise<Map<number, CourseRow['videos']>> {
  const videos = await CourseVideo.findAll({
    attributes: ['courseId', 'title', 'url', 'durationSeconds'],
    where: { courseId },
    order: ['courseId', 'position'],
    raw: true,
  });
  const byCourse = new Map<number, CourseRow['videos']>();
  for (const { courseId: of, title, url, durationSeconds } of videos)
    byCourse.set(of, [...(byCourse.get(of) ?? []), { title, url, durationSeconds }]);
  return byCourse;
}

async function read(after: number, limit: number): Promise<Rows<CourseRow>> {
  const courses = (await Course.findAll({
    attributes: [
      ...['id', 'courseName', 'capacity', 'status', 'completesAutomatically'],
      [col('lecturer.username'), 'lecturerName'],
    ],
    include: { model: User, as: 'lecturer', attributes: [] },
    where: { id: { [Op.gt]: after }, deletedAt: null },
    order: [['id', 'ASC']],
    limit,
    raw: true,
  })) as unknown as StoredCourse[];
  const videos = await videosOf(courses.map(({ id }) => id));
  const rows = courses.map(
    ({ id, courseName, lecturerName, capacity, status, completesAutomatically }): CourseRow => ({
      ...{ courseName, lecturer: lecturerName, capacity, status },
      completesAutomatically: Boolean(completesAutomatically),
      videos: videos.get(id) ?? [],
    }),
  );
  return { rows, last: courses.at(-1)?.id ?? null };
}

export const exportCourses = exportCommand<CourseRow>({
  things: 'courses',
  notes: [
    'Columns: courseName, lecturer (the name), capacity, status, completesAutomatically and videos, as import-courses takes them.',
    'Subscriptions are not part of it.',
  ],
  columns: ['courseName', 'lecturer', 'capacity', 'status', 'completesAutomatically', 'videos'],
  count: () => Course.count({ where: { deletedAt: null } }),
  read,
});
