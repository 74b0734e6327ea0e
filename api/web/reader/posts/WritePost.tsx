import { Link } from 'wouter';
import { client } from '../../shared/client';
import { useDraft } from '../../shared/draft';
import { Heading } from '../../shared/Heading';
import type { User } from '../../shared/session';
import { texts } from '../../shared/texts';
import { useWrite } from '../../shared/write';
import { pathOfPost } from '../places';
import { PostForm, type PostDraft } from './PostForm';
import type { Post } from './queries';

type NewPost = PostDraft & Pick<Post, 'userId'>;

const EMPTY: PostDraft = { title: '', content: '', tags: [] };

export function WritePost({ user: { userId } }: { readonly user: User }) {
  const drafting = useDraft(`post.${userId}`, EMPTY);
  const publish = useWrite((body: NewPost, options) => client.posts.create(body, options), {
    onDone: drafting.forget,
  });
  return (
    <>
      <Heading>{texts.posts.write}</Heading>
      <PostForm
        drafting={drafting}
        write={publish}
        read={() => ({ ...drafting.draft, userId })}
        label={texts.posts.write}
        button={texts.posts.publish}
        done={({ postId, title }) => (
          <Link href={pathOfPost(postId)}>{texts.posts.done(title)}</Link>
        )}
      />
    </>
  );
}
