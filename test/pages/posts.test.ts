import { uniqueWord } from '../support/clients/books';
import { Board } from '../support/clients/posts';
import { target } from '../support/service/target';
import { comeBack, INSTALL_MS, Visitors } from '../support/clients/visitors';

/** Of the published lists of what runs in careless Markdown; each would change the title. */
const XSS_PAYLOADS = [
  "[a](javascript:document.title='run')",
  "[a](JaVaScRiPt:document.title='run')",
  "[a](  javascript:document.title='run')",
  "[a](javascript&colon;document.title='run')",
  '[a](&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;alert)',
  "[a](java\tscript:document.title='run')",
  '[a](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  "[a](vbscript:document.title='run')",
  '[a](\'javascript:document.title="run"\')',
  '[a](https://example.org"onmouseover="document.title=\'run\')',
  '![a](https://example.org/a.png"onload="document.title=\'run\')',
  '![a](x"onerror="document.title=\'run\')',
  "![a](javascript:document.title='run')",
  "<javascript:document.title='run'>",
  "<a href=javascript:document.title='run'>a</a>",
  "<img src=x onerror=document.title='run'>",
  "<svg/onload=document.title='run'>",
  "<iframe srcdoc='<script>parent.document.title=`run`</script>'></iframe>",
  "<object data=javascript:document.title='run'></object>",
  "<details open ontoggle=document.title='run'>",
  "<style>@import 'https://example.org/a.css'</style>",
  "<form action=javascript:document.title='run'><button>a</button></form>",
  "[a]: javascript:document.title='run'",
  '[a]',
  "`<script>document.title='run'</script>`",
  "&lt;script&gt;document.title='run'&lt;/script&gt;",
  "<scr<script>ipt>document.title='run'</scr</script>ipt>",
  'the last one',
];

let board: Board;
let visitors: Visitors;
beforeAll(async () => {
  const lendline = await target();
  board = new Board(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterEach(async () => {
  expect(await visitors.leave()).toEqual([]);
});

it('offers only tags that begin with what is typed, also before the answer to it is there', async () => {
  const start = uniqueWord();
  await board.postedWith([`${start}a`, `${start}b`]);
  const page = await visitors.visit(
    { place: '/board/write', token: board.newReader().token },
    (opened) =>
      opened.route(
        ({ searchParams }) => [`${start}b`, `${start}c`].includes(searchParams.get('q') ?? ''),
        () => undefined,
      ),
  );
  await page.getByRole('combobox', { name: 'Tags' }).fill(start);
  await page.getByRole('option', { name: `${start}a` }).waitFor();
  await page.keyboard.type('b');
  await page.getByRole('option', { name: `${start}a` }).waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowDown');
  await page.locator('[aria-activedescendant]').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: `${start}b` }).waitFor();
  await page.keyboard.type(`${start}c`);
  await page.getByText('Loading…').waitFor();
});

it('publishes a post and finds it by its tags, which are offered while one types, all by keyboard', async () => {
  const [common, own, title] = [
    uniqueWord(),
    `${uniqueWord()} c++ #1/2 100%`,
    `Title ${uniqueWord()}`,
  ];
  await board.postedWith([common]);
  const page = await visitors.visit({ place: '/board/write', token: board.newReader().token });
  await page.getByLabel('Title', { exact: true }).focus();
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
  expect((await page.locator('.content').innerText()).trim()).toBe('First line\nsecond line');

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
  const page = await visitors.visit({ place: '/board' });
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
  const page = await visitors.visit({ place: `/board?tags=${uniqueWord()}` });
  await page.getByText(/No posts have all of these tags/).waitFor();
});

it('says which field of a post is not as it should be', async () => {
  const page = await visitors.visit({ place: '/board/write', token: board.newReader().token });
  await page.getByLabel('Title', { exact: true }).fill(' ');
  await page.getByLabel('Text').fill('Text');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('alert').getByText('Please check the marked fields.').waitFor();
  const invalid = (label: string) =>
    page.getByRole('main').getByLabel(label).getAttribute('aria-invalid');
  expect([await invalid('Title'), await invalid('Text')]).toEqual(['true', null]);
});

it('lets its author delete a post, and nobody else', async () => {
  const author = board.newReader();
  const { postId, title } = await board.posted({ userId: author.userId });
  const other = await visitors.visit({ place: `/board/${postId}`, token: board.newReader().token });
  await other.getByRole('heading', { name: title }).waitFor();
  expect(await other.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  const page = await visitors.visit({ place: `/board/${postId}`, token: author.token });
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect((await board.call('get', `/posts/${postId}`)).status).toBe(200);
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Latest posts' }).waitFor();
  expect((await board.call('get', `/posts/${postId}`)).status).toBe(404);
});

it('lets its author edit a post, which keeps what others do not change', async () => {
  const author = board.newReader();
  const tag = uniqueWord();
  const { postId, title } = await board.posted({ userId: author.userId, tags: [tag] });
  const page = await visitors.visit({ place: `/board/${postId}`, token: author.token });
  await page.getByRole('link', { name: 'Edit post' }).click();
  const content = `Text ${uniqueWord()}`;
  await page.getByRole('textbox', { name: 'Text' }).fill(content);
  await page.reload();
  expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe(title);
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.getByRole('button', { name: 'Save' }).click();
  expect((await sent).postDataJSON()).toEqual({ content });
  await page.getByRole('heading', { name: title }).waitFor();
  await page.locator('.content').getByText(content).waitFor();
  await page.getByRole('link', { name: tag }).waitFor();
  const other = await visitors.visit({
    place: `/board/${postId}/edit`,
    token: board.newReader().token,
  });
  await other.getByText(/^Only its author/).waitFor();
});

it('counts new posts while somebody reads the list, and shows them when asked to', async () => {
  const tag = uniqueWord();
  const { title } = await board.posted({ tags: [tag] });
  const page = await visitors.visit({ place: `/board?tags=${tag}` });
  const posts = page.getByRole('main').locator('.rows .title');
  await posts.filter({ hasText: title }).waitFor();
  const [second, third] = [
    await board.posted({ tags: [tag] }),
    await board.posted({ tags: [tag] }),
  ];
  await comeBack(page);
  await page.getByRole('button', { name: '2 new posts' }).waitFor();
  expect(await posts.allTextContents()).toEqual([title]);
  await page.getByRole('button', { name: '2 new posts' }).click();
  await posts.filter({ hasText: third.title }).waitFor();
  expect(await posts.allTextContents()).toEqual([third.title, second.title, title]);
});

it('shows what looks like HTML as the text that somebody wrote', async () => {
  const html = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  const { postId } = await board.posted({ title: html, content: html, tags: ['<b>tag</b>'] });
  const page = await visitors.visit({ place: `/board/${postId}` });
  await page.getByRole('heading', { name: html }).waitFor();
  expect((await page.locator('.content').innerText()).trim()).toBe(html);
  await page.getByRole('link', { name: '<b>tag</b>' }).waitFor();
  expect(await page.title()).not.toBe('run');
});

it('keeps what somebody writes over a reload, until it is published', async () => {
  const page = await visitors.visit({ place: '/board/write', token: board.newReader().token });
  const title = `Title ${uniqueWord()}`;
  await page.getByLabel('Title', { exact: true }).fill(title);
  await page.getByLabel('Text').fill('A *text*');
  await page.getByRole('region', { name: 'Preview' }).locator('em').getByText('text').waitFor();
  await page.reload();
  expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe(title);
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('link', { name: `Published: ${title}` }).waitFor();
  await page.reload();
  expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('');
});

it('adds no tag by the Enter that ends a composition of letters', async () => {
  const page = await visitors.visit({ place: '/board/write', token: board.newReader().token });
  const tags = page.getByLabel('Tags', { exact: true }).first();
  await tags.fill('한국');
  await tags.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  expect(await page.getByRole('row', { name: '한국' }).count()).toBe(0);
  expect(await tags.inputValue()).toBe('한국');
  await tags.press('Enter');
  await page.getByRole('row', { name: '한국' }).waitFor();
});

it('runs nothing of what is known to run in Markdown', async () => {
  const { postId } = await board.posted({ content: XSS_PAYLOADS.join('\n\n') });
  const page = await visitors.visit({ place: `/board/${postId}` });
  const content = page.locator('.content');
  await content.getByText('the last one').waitFor();
  const protocols = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.content a')].map((link) => link.protocol)",
  );
  expect(protocols.filter((protocol) => !/^(?:https?|mailto):$/.test(protocol))).toEqual([]);
  expect(await content.locator('script, img, svg, iframe, object, style, form').count()).toBe(0);
  expect(await page.title()).not.toBe('run');
});
