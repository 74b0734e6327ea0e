import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';
import { Empty } from '../../shared/Empty';
import { Heading } from '../../shared/Heading';
import { Pages } from '../../shared/Pages';
import { useSession } from '../../shared/session';
import { Shown } from '../../shared/Shown';
import { texts } from '../../shared/texts';
import { pageOf, pathOfPosts, places } from '../places';
import { newerPosts } from './newer';
import { PostItem } from './PostParts';
import { freshPostsQuery, postsQuery, relatedTagsQuery, type PostPage } from './queries';
import { TagPicker } from './TagPicker';

/** Narrows to posts that have one more tag, and leads to the feed of these posts. */
function AroundTags({ tags }: { readonly tags: readonly string[] }) {
  const [first = ''] = tags;
  const { data } = useQuery(relatedTagsQuery(first));
  const others = data?.items.filter(({ name }) => !tags.includes(name)) ?? [];
  return (
    <div className="actions">
      {others.length > 0 && (
        <ul className="tags" aria-label={texts.posts.related}>
          {others.map(({ name }) => (
            <li key={name} className="tag">
              <Link href={pathOfPosts([...tags, name])}>+ {name}</Link>
            </li>
          ))}
        </ul>
      )}
      <a href={`/posts/tags.atom?tags=${tags.map(encodeURIComponent).join(',')}`}>
        {texts.posts.feed}
      </a>
    </div>
  );
}

/** Counts the posts that were published since the list was read, and reads it again. */
function NewPosts({ tags, shown }: { readonly tags: readonly string[]; readonly shown: PostPage }) {
  const queries = useQueryClient();
  const { data } = useQuery({
    ...freshPostsQuery(tags),
    initialData: shown,
    refetchOnMount: false,
  });
  const fresh = newerPosts(shown.items, data.items);
  return (
    <p role="status">
      {fresh.length > 0 && (
        <button
          type="button"
          className="secondary"
          onClick={() => void queries.invalidateQueries({ queryKey: ['posts', tags] })}
        >
          {texts.posts.fresh(fresh.length, fresh.length === data.items.length)}
        </button>
      )}
    </p>
  );
}

/** The posts that have all tags of the address; without any, the latest. */
export function Posts() {
  const [, navigate] = useLocation();
  const query = new URLSearchParams(useSearch());
  const tags = query.get('tags')?.split(',').filter(Boolean) ?? [];
  const page = pageOf(query.get('page'));
  const { user } = useSession();
  return (
    <>
      <div className="place-head">
        <Heading>{texts.posts.heading}</Heading>
        {user && (
          <Link href={places.writePost} className="button">
            {texts.posts.write}
          </Link>
        )}
      </div>
      <search>
        <TagPicker
          tags={tags}
          change={(next) => {
            navigate(pathOfPosts(next));
          }}
        />
      </search>
      {tags.length > 0 && <AroundTags tags={tags} />}
      <h2>{tags.length > 0 ? texts.posts.byTags : texts.posts.all}</h2>
      <Shown query={useQuery(postsQuery(tags, page))}>
        {(list) => (
          <>
            {page === 1 && <NewPosts tags={tags} shown={list} />}
            {list.items.length === 0 && (
              <Empty text={tags.length > 0 ? texts.posts.none : texts.posts.empty} />
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
