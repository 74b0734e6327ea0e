import { useState } from 'react';
import { Link } from 'wouter';
import { client } from '../../shared/client';
import { Field } from '../../shared/Field';
import { Heading } from '../../shared/Heading';
import type { User } from '../../shared/session';
import { texts } from '../../shared/texts';
import { useWrite } from '../../shared/write';
import { WriteForm } from '../../shared/WriteForm';
import type { Post } from './queries';
import { TagPicker } from './TagPicker';

type Draft = Pick<Post, 'title' | 'content' | 'tags' | 'userId'>;

export function WritePost({ user: { userId } }: { readonly user: User }) {
  const [tags, setTags] = useState<readonly string[]>([]);
  const publish = useWrite(
    (body: Draft, header) => client.POST('/posts', { params: { header }, body }),
    {
      onDone: () => {
        setTags([]);
      },
    },
  );
  return (
    <>
      <Heading>{texts.posts.write}</Heading>
      <WriteForm
        write={publish}
        read={(field) => ({
          title: field('title'),
          content: field('content'),
          tags: [...tags],
          userId,
        })}
        label={texts.posts.write}
        button={texts.posts.publish}
        done={({ postId, title }) => (
          <Link href={`/posts/${postId}`}>{texts.posts.done(title)}</Link>
        )}
      >
        <Field
          label={texts.posts.title}
          name="title"
          required
          maxLength={255}
          error={publish.error}
        />
        <Field
          label={texts.posts.content}
          name="content"
          required
          maxLength={100_000}
          isLong
          error={publish.error}
        />
        <TagPicker tags={tags} change={setTags} />
      </WriteForm>
    </>
  );
}
