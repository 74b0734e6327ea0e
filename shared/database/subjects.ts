/** Length of the column `subjects`, characters. */
const SHORT_MAX = 500;

interface SubjectColumns {
  /** JSON, when it is short. */
  readonly subjects: string | null;
  /** JSON, when it is long: of a command that changed the lists of many people. */
  readonly longSubjects: string | null;
}

/** Splits cache subjects into the columns of an outcome. Both are null when there are none. */
export function subjectColumns(subjects: readonly string[]): SubjectColumns {
  const text = subjects.length > 0 ? JSON.stringify(subjects) : null;
  return text !== null && text.length > SHORT_MAX
    ? { subjects: null, longSubjects: text }
    : { subjects: text, longSubjects: null };
}

/** Returns the cache subjects of an outcome, or undefined. */
export function subjectsIn({ subjects, longSubjects }: SubjectColumns): string[] | undefined {
  const text = longSubjects ?? subjects;
  return text === null ? undefined : (JSON.parse(text) as string[]);
}
