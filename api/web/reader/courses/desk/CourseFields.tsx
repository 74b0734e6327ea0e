import { useId } from 'react';
import { Field } from '../../../shared/Field';
import { texts } from '../../../shared/texts';
import type { Course } from '../queries';

const STATUSES: readonly Course['status'][] = ['open', 'closed', 'archived'];

const of = texts.courses;

/** The fields of a course. An existing course has a status, too. */
export function CourseFields({
  error,
  given,
}: {
  readonly error: unknown;
  readonly given?: Course;
}) {
  const hint = useId();
  return (
    <div className="fields">
      <Field
        label={of.courseName}
        name="courseName"
        required
        maxLength={255}
        defaultValue={given?.courseName}
        error={error}
      />
      <div>
        <Field
          label={of.capacity}
          name="capacity"
          type="number"
          min={1}
          max={1_000_000}
          defaultValue={given?.capacity ?? ''}
          aria-describedby={given && hint}
          error={error}
        />
        {given && (
          <small id={hint} className="hint">
            {of.capacityHint}
          </small>
        )}
      </div>
      {given && (
        <label>
          {of.enrolment}
          <select name="status" defaultValue={given.status}>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {of.statuses[status]}
              </option>
            ))}
          </select>
        </label>
      )}
      <label className="check">
        <input
          type="checkbox"
          name="completesAutomatically"
          defaultChecked={given?.completesAutomatically ?? false}
        />
        {of.completesAutomatically}
      </label>
    </div>
  );
}
