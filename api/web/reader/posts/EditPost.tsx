import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { changesOf } from '../../shared/changes';
import { client } from '../../shared/client';
import { useDraft } from '../../shared/draft';
import { Heading } from '../../shared/Heading';
import type { User } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { useWrite } from '../../shared/write';
import { pathOfPost } from '../places';
import { PostForm, type PostDraft } from './PostForm';
import { postQuery, type Post } from './queries';

function Edit({ post, user }: { readonly post: Post; readonly user: User }) {
  const [, navigate] = useLocation();
  const { postId, title, content, tags } = post;
  const drafting = useDraft<PostDraft>(`post.${user.userId}.${postId}`, { title, content, tags });
  const leave = () => {
    drafting.forget();
    navigate(pathOfPost(postId));
  };
  const save = useWrite(
    (body: Partial<PostDraft>, options) => client.posts.update(postId, body, options),
    { onDone: leave },
  );
  return (
    <>
      <PostForm
        drafting={drafting}
        write={save}
        read={() => {
          const changes = changesOf(post, drafting.draft);
          if (changes === null) leave();
          return changes;
        }}
        label={texts.posts.edit}
        button={texts.posts.save}
        done={() => null}
        beside={
          <button type="button" className="quiet" onClick={leave}>
            {texts.cancel}
          </button>
        }
      />
    </>
  );
}

/** Changes a post, for its author and administrators. */
export function EditPost({ postId, user }: { readonly postId: number; readonly user: User }) {
  return (
    <>
      <Heading>{texts.posts.edit}</Heading>
      <Shown query={useQuery(postQuery(postId))}>
        {(post) =>
          user.isAdmin || user.userId === post.userId ? (
            <Edit post={post} user={user} />
          ) : (
            <p role="alert">
              {texts.posts.notYours} <Link href={pathOfPost(postId)}>{post.title}</Link>
            </p>
          )
        }
      </Shown>
    </>
  );
}
