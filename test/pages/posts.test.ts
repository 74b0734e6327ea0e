import { uniqueWord } from '../support/books';
import { Board } from '../support/posts';
import { target } from '../support/target';
import { INSTALL_MS, Visitors } from '../support/visitors';

let board: Board;
let visitors: Visitors;
beforeAll(async () => {
  const lendline = await target();
  board = new Board(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(() => {
  expect(visitors.complaints).toEqual([]);
});

it('publishes a post and finds it by its tags, which are offered while one types, all by keyboard', async () => {
  const [common, own, title] = [
    uniqueWord(),
    `${uniqueWord()} c++ #1/2 100%`,
    `Title ${uniqueWord()}`,
  ];
  await board.postedWith([common]);
  const page = await visitors.visit({ place: '/write', token: board.newReader().token });
  await page.getByLabel('Title').focus();
  await page.keyboard.type(title);
  await page.keyboard.press('Tab');
  await page.keyboard.type('First line\nsecond line');
  await page.keyboard.press('Tab');
  await page.keyboard.type(common.slice(0, -3));
  await page.getByRole('option', { name: common }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator('[aria-activedescendant]').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: common }).waitFor();
  await page.keyboard.type(own);
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: own }).waitFor();
  await page.getByRole('button', { name: 'Publish' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: `Published: ${title}` }).click();
  await page.getByRole('heading', { name: title }).waitFor();
  expect(await page.locator('.content').innerText()).toBe('First line\nsecond line');

  await page.getByRole('link', { name: own }).click();
  await page.getByRole('link', { name: title }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: title }).waitFor();
  await page.getByLabel('Tags', { exact: true }).first().fill(common);
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: common }).waitFor();
  await page.getByRole('link', { name: title }).waitFor();
  // Without its own tag there are two.
  await page.getByRole('button', { name: `Remove tag ${own}` }).click();
  await page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ hasText: 'Published' })
    .nth(1)
    .waitFor();
});

it('offers tags that the service tells of after one has typed, and no others once one is chosen', async () => {
  const name = uniqueWord();
  await board.postedWith([name, `${name}x`]);
  const page = await visitors.visit({ place: '/posts/latest' });
  let answer: () => void = () => undefined;
  const typed = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/tags?*', (route) => typed.then(() => route.continue()));
  const asked = page.waitForRequest('**/tags?*');
  await page.getByLabel('Tags', { exact: true }).first().fill(name.slice(0, -1));
  await asked;
  answer();
  await page.getByRole('option', { name: `${name} 1 post` }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator('[aria-activedescendant]').waitFor();
  await page.keyboard.press('Enter');
  // While others are offered, the rest of the page is hidden from screen readers.
  await page.getByRole('row', { name }).waitFor();
});

it('says that no post has all of some tags', async () => {
  const page = await visitors.visit({ place: `/posts/tags/${uniqueWord()}` });
  await page.getByText(/No posts have all of these tags/).waitFor();
});

it('says which field of a post is not as it should be', async () => {
  const page = await visitors.visit({ place: '/write', token: board.newReader().token });
  await page.getByLabel('Title').fill(' ');
  await page.getByLabel('Text').fill('Text');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('alert').getByText('The request is not valid').waitFor();
  const invalid = (label: string) => page.getByLabel(label).getAttribute('aria-invalid');
  expect([await invalid('Title'), await invalid('Text')]).toEqual(['true', null]);
});

it('lets its author delete a post, and nobody else', async () => {
  const author = board.newReader();
  const { postId, title } = await board.posted({ userId: author.userId });
  const other = await visitors.visit({ place: `/posts/${postId}`, token: board.newReader().token });
  await other.getByRole('heading', { name: title }).waitFor();
  expect(await other.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  const page = await visitors.visit({ place: `/posts/${postId}`, token: author.token });
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Latest posts' }).waitFor();
  expect((await board.call('get', `/posts/${postId}`)).status).toBe(404);
});

it('shows what looks like HTML as the text that somebody wrote', async () => {
  const html = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  const { postId } = await board.posted({ title: html, content: html, tags: ['<b>tag</b>'] });
  const page = await visitors.visit({ place: `/posts/${postId}` });
  await page.getByRole('heading', { name: html }).waitFor();
  expect(await page.locator('.content').innerText()).toBe(html);
  await page.getByRole('link', { name: '<b>tag</b>' }).waitFor();
  expect(await page.title()).not.toBe('run');
});
