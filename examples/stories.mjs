// A library's day, a course's term and a forum's week, through HTTP alone. TOKEN is an
// administrator's. It leaves behind what it made, under names of its own, and puts back the loan
// rules and the calendar. With OVERDUE=true it waits until a loan of a day is overdue.
import { coursesTerm } from './stories/courses.mjs';
import { forumsWeek } from './stories/forum.mjs';
import { librarysDay } from './stories/library.mjs';

await librarysDay();
await coursesTerm();
await forumsWeek();
