import Joi from 'joi';
import {
  courseFields,
  type CoursesCommands,
  type CourseStatus,
} from '../../../shared/courses/commands';
import { id } from '../../../shared/fields';
import { checkedItem, listIn, oneLine, Refused, textCells, wholeNumber } from './row-cells';
import type { RawCells } from './row-format';

/** Makes a course out of a row of somebody's file. Pure. */

/** The columns that are understood, in lower case. */
export const COURSE_COLUMNS = [
  'coursename',
  'userid',
  'lecturer',
  'capacity',
  'status',
  'completesautomatically',
  'videos',
] as const;
type CourseColumn = (typeof COURSE_COLUMNS)[number];

export type VideoToAdd = Pick<
  CoursesCommands['courses.add-video'],
  'title' | 'url' | 'durationSeconds'
>;

export interface CourseRow extends Pick<
  CoursesCommands['courses.register-course'],
  'courseName' | 'capacity'
> {
  /** The lecturer's, null when the row gives only the name. */
  readonly userId: number | null;
  readonly lecturer: string;
  /** Null when the row does not say it. */
  readonly status: CourseStatus | null;
  readonly completesAutomatically: boolean | null;
  /** In their order, each once. */
  readonly videos: readonly VideoToAdd[];
}

const { courseName, capacity, status, title, url, durationSeconds } = courseFields;
const video = Joi.object({ title, url, durationSeconds: durationSeconds.default(null).optional() });
const rules = Joi.object<CourseRow>({
  courseName,
  userId: id.allow(null),
  lecturer: Joi.any(),
  capacity,
  status: status.allow(null),
  completesAutomatically: Joi.boolean().allow(null),
  videos: Joi.array().items(video.optional()),
}).prefs({ presence: 'required' });

/** Two videos of a course are the same when they have the same title and address. */
export const videoIdentity = ({
  title: name,
  url: address,
}: {
  readonly title: string;
  readonly url: string | null;
}): string => JSON.stringify([name, address]);

function distinctVideos(videos: readonly VideoToAdd[], warnings: string[]): VideoToAdd[] {
  const seen = new Map<string, number>();
  return videos.filter((one, index) => {
    const first = seen.get(videoIdentity(one));
    if (first === undefined) seen.set(videoIdentity(one), index);
    else warnings.push(`videos[${index}] is the same as videos[${first}] and was left out`);
    return first === undefined;
  });
}

/** @throws Refused */
export function cleanCourseRow(
  { videos, ...row }: RawCells<CourseColumn>,
  warnings: string[],
): CourseRow {
  const cells = textCells(row);
  const [userId, lecturer] = [wholeNumber(cells.userid, null), oneLine(cells.lecturer)];
  if (userId === null && lecturer === '') throw new Refused('userId or lecturer is required');
  const given = videos === undefined || videos === null || videos === '' ? [] : videos;
  const course = checkedItem(rules, {
    courseName: oneLine(cells.coursename),
    userId,
    lecturer,
    capacity: wholeNumber(cells.capacity, null),
    status: cells.status?.trim().toLowerCase() || null,
    completesAutomatically: cells.completesautomatically?.trim().toLowerCase() || null,
    videos: listIn(given),
  });
  return { ...course, videos: distinctVideos(course.videos, warnings) };
}
