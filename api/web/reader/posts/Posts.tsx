import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { Heading } from '../../shared/Heading';
import { Pages } from '../../shared/Pages';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { pathOfPosts } from './places';
import { PostItem } from './PostParts';
import { postsQuery } from './queries';
import { TagPicker } from './TagPicker';

export interface PostsProps {
  /** The posts that have all of them; without any, the latest. */
  readonly tags: readonly string[];
  readonly page: number;
}

export function Posts({ tags, page }: PostsProps) {
  const [, navigate] = useLocation();
  const { user } = useSession();
  return (
    <>
      <Heading>{texts.posts.heading}</Heading>
      {user && <Link href="/write">{texts.posts.write}</Link>}
      <search>
        <TagPicker
          tags={tags}
          change={(next) => {
            navigate(pathOfPosts(next));
          }}
        />
      </search>
      <h2>{tags.length > 0 ? texts.posts.byTags : texts.posts.all}</h2>
      <Shown query={useQuery(postsQuery(tags, page))}>
        {(list) => (
          <>
            {list.items.length === 0 && (
              <p role="status">{tags.length > 0 ? texts.posts.none : texts.posts.empty}</p>
            )}
            <ul className="rows">
              {list.items.map((post) => (
                <PostItem key={post.postId} post={post} />
              ))}
            </ul>
            <Pages
              list={list}
              go={(to) => {
                navigate(pathOfPosts(tags, to));
              }}
            />
          </>
        )}
      </Shown>
    </>
  );
}
