/** Characters of the column `subjects`, as its migration made it. */
const SHORT_MAX = 500;

interface SubjectColumns {
  /** JSON, when it is short. */
  readonly subjects: string | null;
  /** JSON, when it is long: of a command that changed the lists of many people. */
  readonly longSubjects: string | null;
}

/** Cache subjects as the columns of an outcome keep them; null twice when there are none. */
export function subjectColumns(subjects: readonly string[]): SubjectColumns {
  const text = subjects.length > 0 ? JSON.stringify(subjects) : null;
  return text !== null && text.length > SHORT_MAX
    ? { subjects: null, longSubjects: text }
    : { subjects: text, longSubjects: null };
}

/** The cache subjects of an outcome; undefined when it has none. */
export function subjectsIn({ subjects, longSubjects }: SubjectColumns): string[] | undefined {
  const text = longSubjects ?? subjects;
  return text === null ? undefined : (JSON.parse(text) as string[]);
}
