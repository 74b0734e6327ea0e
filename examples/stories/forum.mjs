import { admin, call, check, get, newPerson, patch, post, refused, remove } from './calls.mjs';
import { run, stream, tell, until } from './calls.mjs';

/** A forum's week, from Monday to Sunday. */

export async function forumsWeek() {
  const [gil, hana] = [await newPerson('gil'), await newPerson('hana')];
  const [sql, orm] = [`sql-${run}`, `orm-${run}`];
  const write = (author, title, tags) =>
    post('/posts', { title, content: `About ${title}.`, tags, userId: author.userId }, author);

  const live = await stream(`/posts/stream?${sql}`);
  const joins = await write(gil, `Joins ${run}`, [sql]);
  const mapping = await write(hana, `Mapping ${run}`, [sql, orm]);
  for (const { postId } of [joins, mapping])
    check((await live.next()).postId === postId, 'the stream has the new posts');
  await live.stop();
  tell('Monday  Two posts, which a reader sees at once.');

  check((await get(`/posts/tags?${sql},${orm}`)).length === 1, 'one post has both tags');
  check((await get(`/posts/tags?${sql}`)).length === 2, 'two posts have the first');
  check((await get(`/posts/tags?${sql}&exclude=${orm}`)).length === 1, 'one has it alone');
  check((await get(`/posts?q=joins%20${run}`)).items[0].postId === joins.postId, 'words find it');
  const { items } = await get(`/tags/${sql}/related`);
  check(items[0].name === orm, 'the tags stand beside each other');
  // The counts of tags may lag by five seconds.
  await until('both posts are counted', async () => {
    const found = await get(`/tags?q=${sql}`);
    return found.items[0]?.postCount === 2;
  });
  tell('Tuesday  They are found by tags and by words.');

  const feed = await get(`/posts/tags.atom?${sql}`);
  check(feed.split('<entry>').length === 3, 'the feed has both');
  const { headers } = await call('GET', `/posts/${joins.postId}`);
  const ifMatch = headers.get('etag');
  await patch(`/posts/${joins.postId}`, { tags: [sql, orm] }, { ...gil, ifMatch });
  await patch(
    `/posts/${joins.postId}`,
    { title: 'Late' },
    { ...gil, ifMatch, wants: 412, code: 'VERSION_MISMATCH' },
  );
  await patch(`/posts/${joins.postId}`, { title: 'Not mine' }, { ...hana, wants: 403 });
  tell('Wednesday  A post is changed once, and the feed is read.');

  const name = `database-${run}`;
  await patch(`/tags/${sql}`, { name }, admin);
  await patch(`/tags/${name}`, { name: orm }, refused('TAG_TAKEN', admin));
  const renamed = await get(`/posts/${mapping.postId}`);
  check(renamed.tags[0] === name, 'posts show the new name');
  await post(`/tags/${orm}/merge`, { into: name }, { ...admin, wants: 200 });
  check((await get(`/posts/tags?${orm}`)).length === 2, 'a merged tag leads to the other');
  await remove(`/posts/${mapping.postId}`, hana);
  check((await get(`/posts/tags?${name}`)).length === 1, 'one post is left');
  await remove(`/tags/${name}`, admin);
  const bare = await get(`/posts/${joins.postId}`);
  check(bare.tags.length === 0, 'a deleted tag leaves its posts');
  tell('Sunday  The tags are in order.');
}
