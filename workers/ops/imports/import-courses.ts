import { cleanCourseRow, COURSE_COLUMNS } from './course-row';
import { importCommand } from './import-command';
import { Lecturers } from './lecturers';
import { courseIdentity, registerCourse } from './register-course';

export const importCourses = importCommand({
  things: 'courses',
  notes: [
    'Columns: courseName, userId (the lecturer) or else lecturer (the name, looked up in the database), capacity (none: no',
    'limit), status, completesAutomatically, and videos: a list of {"title", "url", "durationSeconds"} as JSON, in their order.',
    'When the lecturer has a course of that name, the import only adds missing videos to it and sets its status.',
  ],
  format: { columns: COURSE_COLUMNS, required: [['coursename'], ['userid', 'lecturer']] },
  prepare(given) {
    const lecturers = new Lecturers(given.flag('servers'));
    return {
      async clean(cells, warnings) {
        const course = cleanCourseRow(cells, warnings);
        return { ...course, userId: course.userId ?? (await lecturers.idOf(course.lecturer)) };
      },
      identity: courseIdentity,
      sameBy: () => 'same lecturer and name',
      register: registerCourse,
    };
  },
});
