import { Link } from 'wouter';
import { texts } from '../../shared/texts';
import { pathOfPost, pathOfPosts } from '../places';
import type { Post } from './queries';

/** The parts of a post that its list and its own place share. */

export function PostTags({ tags }: { readonly tags: readonly string[] }) {
  return (
    <ul className="tags" aria-label={texts.posts.tags}>
      {tags.map((tag) => (
        <li key={tag} className="tag">
          <Link href={pathOfPosts([tag])}>{tag}</Link>
        </li>
      ))}
    </ul>
  );
}

export function PostItem({ post: { postId, title, tags, createdAt } }: { readonly post: Post }) {
  return (
    <li>
      <div>
        <Link href={pathOfPost(postId)} className="title">
          {title}
        </Link>
        <small>{texts.posts.published(createdAt)}</small>
      </div>
      <PostTags tags={tags} />
    </li>
  );
}
