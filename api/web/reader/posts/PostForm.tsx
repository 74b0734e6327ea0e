import type { ReactNode } from 'react';
import type { Drafting } from '../../shared/draft';
import { Field } from '../../shared/Field';
import { texts } from '../../shared/texts';
import type { Write } from '../../shared/write';
import { WriteForm } from '../../shared/WriteForm';
import { Markdown } from './Markdown';
import type { Post } from './queries';
import { TagPicker } from './TagPicker';

export type PostDraft = Pick<Post, 'title' | 'content' | 'tags'>;

/** The form for a post, with a preview beside it. */
export function PostForm<Input>({
  drafting: { draft, change },
  write,
  read,
  label,
  button,
  done,
  beside,
}: {
  readonly drafting: Drafting<PostDraft>;
  readonly write: Write<Input, Post>;
  readonly read: () => Input | null;
  readonly label: string;
  readonly button: string;
  readonly done: (post: Post) => ReactNode;
  readonly beside?: ReactNode;
}) {
  return (
    <div className="writing">
      <WriteForm {...{ write, read, label, button, done, beside }}>
        <Field
          label={texts.posts.title}
          name="title"
          required
          maxLength={255}
          value={draft.title}
          keep={(title) => {
            change({ title });
          }}
          error={write.error}
        />
        <Field
          label={texts.posts.content}
          name="content"
          required
          maxLength={100_000}
          isLong
          value={draft.content}
          keep={(content) => {
            change({ content });
          }}
          error={write.error}
        />
        <TagPicker
          tags={draft.tags}
          change={(tags) => {
            change({ tags: [...tags] });
          }}
        />
      </WriteForm>
      {draft.content !== '' && (
        <section aria-label={texts.posts.preview}>
          <h2>{texts.posts.preview}</h2>
          <Markdown text={draft.content} />
        </section>
      )}
    </div>
  );
}
