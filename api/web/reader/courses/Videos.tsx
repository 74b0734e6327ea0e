import { useQuery } from '@tanstack/react-query';
import { client } from '../../shared/client';
import { Field } from '../../shared/Field';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { useWrite } from '../../shared/write';
import { WriteForm } from '../../shared/WriteForm';
import { videosQuery } from './queries';

interface NewVideo {
  readonly title: string;
  readonly url: string;
  readonly durationSeconds: number | null;
}

function AddVideo({ courseId }: { readonly courseId: number }) {
  const add = useWrite((body: NewVideo, header) =>
    client.POST('/courses/{courseId}/videos', { params: { header, path: { courseId } }, body }),
  );
  return (
    <details>
      <summary>{texts.courses.addVideo}</summary>
      <WriteForm
        write={add}
        read={(field) => ({
          title: field('title'),
          url: field('url'),
          durationSeconds:
            field('durationSeconds') === '' ? null : Number(field('durationSeconds')),
        })}
        label={texts.courses.addVideo}
        button={texts.courses.addVideo}
        done={({ title }) => title}
      >
        <Field
          label={texts.courses.videoTitle}
          name="title"
          required
          maxLength={255}
          error={add.error}
        />
        <Field label={texts.courses.url} name="url" type="url" required error={add.error} />
        <Field
          label={texts.courses.duration}
          name="durationSeconds"
          type="number"
          min={1}
          error={add.error}
        />
      </WriteForm>
    </details>
  );
}

/**
 * The videos in their order, for the lecturer and administrators: nobody else is shown where they
 * are.
 */
export function Videos({ courseId }: { readonly courseId: number }) {
  return (
    <section aria-label={texts.courses.videos}>
      <h2>{texts.courses.videos}</h2>
      <Shown query={useQuery(videosQuery(courseId))}>
        {({ items }) => (
          <ol>
            {items.map(({ videoId, title, url, durationSeconds }) => (
              <li key={videoId}>
                {url === null ? (
                  title
                ) : (
                  <a href={url} rel="noreferrer">
                    {title}
                  </a>
                )}{' '}
                {durationSeconds !== null && (
                  <small>{texts.courses.seconds(durationSeconds)}</small>
                )}
              </li>
            ))}
          </ol>
        )}
      </Shown>
      <AddVideo courseId={courseId} />
    </section>
  );
}
