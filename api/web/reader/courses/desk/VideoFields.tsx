import { Field } from '../../../shared/Field';
import { texts } from '../../../shared/texts';
import type { Video } from '../queries';

const of = texts.courses;

/** The fields of a video, for a new and for an existing one. */
export function VideoFields({ error, given }: { readonly error: unknown; readonly given?: Video }) {
  return (
    <div className="fields">
      <Field
        label={of.videoTitle}
        name="title"
        required
        maxLength={255}
        defaultValue={given?.title}
        error={error}
      />
      <Field
        label={of.url}
        name="url"
        type="url"
        required
        defaultValue={given?.url ?? undefined}
        error={error}
      />
      <Field
        label={of.duration}
        name="durationSeconds"
        type="number"
        min={1}
        defaultValue={given?.durationSeconds ?? ''}
        error={error}
      />
    </div>
  );
}
