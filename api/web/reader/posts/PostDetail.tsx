import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { client } from '../../shared/client';
import { Heading } from '../../shared/Heading';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { useWrite } from '../../shared/write';
import { WriteForm } from '../../shared/WriteForm';
import { pathOfPosts } from './places';
import { PostTags } from './PostParts';
import { postQuery } from './queries';

function DeletePost({ postId }: { readonly postId: number }) {
  const [, navigate] = useLocation();
  const remove = useWrite(
    (id: number, header) =>
      client.DELETE('/posts/{postId}', { params: { header, path: { postId: id } } }),
    {
      onDone: () => {
        navigate(pathOfPosts([]), { replace: true });
      },
    },
  );
  return (
    <WriteForm
      write={remove}
      read={() => postId}
      label={texts.posts.remove}
      button={texts.posts.remove}
      done={() => null}
    />
  );
}

export function PostDetail({ postId }: { readonly postId: number }) {
  const { user } = useSession();
  return (
    <Shown query={useQuery(postQuery(postId))}>
      {({ title, content, tags, createdAt, userId }) => (
        <>
          <Heading>{title}</Heading>
          <p>
            <small>{texts.posts.published(createdAt)}</small>
          </p>
          <p className="content">{content}</p>
          <PostTags tags={tags} />
          {user && (user.isAdmin || user.userId === userId) && <DeletePost postId={postId} />}
        </>
      )}
    </Shown>
  );
}
