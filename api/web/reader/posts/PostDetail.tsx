import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { client } from '../../shared/client';
import { Confirm } from '../../shared/Confirm';
import { Heading } from '../../shared/Heading';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { newIntent, useWrite } from '../../shared/write';
import { WriteProblem } from '../../shared/WriteProblem';
import { pathOfEditPost, pathOfPosts } from '../places';
import { PostTags } from './PostParts';
import { postQuery } from './queries';
import { Markdown } from './Markdown';

function DeletePost({ postId }: { readonly postId: number }) {
  const [, navigate] = useLocation();
  const remove = useWrite((id: number, options) => client.posts.delete(id, options), {
    onDone: () => {
      navigate(pathOfPosts([]), { replace: true });
    },
  });
  return (
    <>
      <Confirm
        label={texts.posts.remove}
        question={texts.posts.removeQuestion}
        isBusy={remove.isPending}
        act={() => {
          remove.mutate(newIntent(postId));
        }}
      />
      <WriteProblem write={remove} />
    </>
  );
}

export function PostDetail({ postId }: { readonly postId: number }) {
  const { user } = useSession();
  return (
    <Shown query={useQuery(postQuery(postId))}>
      {({ title, content, tags, createdAt, userId }) => (
        <>
          <Heading>{title}</Heading>
          <p className="muted">
            <small>{texts.posts.published(createdAt)}</small>
          </p>
          <Markdown text={content} />
          <footer className="post-end">
            <PostTags tags={tags} />
            {user && (user.isAdmin || user.userId === userId) && (
              <div className="actions">
                <Link href={pathOfEditPost(postId)} className="button secondary">
                  {texts.posts.edit}
                </Link>
                <DeletePost postId={postId} />
              </div>
            )}
          </footer>
        </>
      )}
    </Shown>
  );
}
