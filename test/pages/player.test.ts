import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Campus } from '../support/clients/courses';
import { startService } from '../support/service/start-service';
import { INSTALL_MS, Visitors } from '../support/clients/visitors';

/** The player, where the operator allows videos of another server. */

/** A second of black and white squares. */
const FILM = readFileSync(join(__dirname, '../support/fixtures/short.webm'));

let videos: Server;
let origin: string;
let campus: Campus;
let visitors: Visitors;
beforeAll(async () => {
  videos = createServer((request, response) => {
    const isFilm = request.url === '/film.webm';
    response.setHeader('Content-Type', isFilm ? 'video/webm' : 'text/html');
    response.end(isFilm ? FILM : '<title>Lecture</title><p>The lecture</p>');
  });
  await new Promise<void>((resolve) => videos.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(videos.address() as AddressInfo).port}`;
  const lendline = (await startService({ env: { VIDEO_ORIGINS: origin } })).target;
  campus = new Campus(lendline);
  visitors = await Visitors.open(lendline);
}, INSTALL_MS);

afterAll(() => {
  videos.closeAllConnections();
  videos.close();
});

// What the page asked of the server of the videos is no fault.
afterEach(async () => {
  const complaints = await visitors.leave();
  expect(complaints.filter((complaint) => !complaint.includes(origin))).toEqual([]);
});

/** A course with a video at each path, in front of somebody who takes it. */
async function taken(...paths: string[]) {
  const { courseId } = await campus.registered();
  const added = [];
  for (const path of paths)
    added.push(await campus.addedVideo(courseId, { url: `${origin}${path}` }));
  const reader = campus.newReader();
  await campus.subscribed(reader, courseId);
  const page = await visitors.visit({
    place: `/learn/${courseId}/watch/${added[0]!.videoId}`,
    token: reader.token,
  });
  return { page, videos: added };
}

it('plays a page in a frame that cannot leave it', async () => {
  const {
    page,
    videos: [first],
  } = await taken('/lecture');
  await page.frameLocator('iframe').getByText('The lecture').waitFor();
  const frame = page.locator('iframe');
  expect(await frame.getAttribute('title')).toBe(first!.title);
  expect(await frame.getAttribute('sandbox')).not.toContain('allow-top-navigation');
});

it('marks a film as done when it has been played to its end', async () => {
  const {
    page,
    videos: [film, next],
  } = await taken('/film.webm', '/lecture');
  await page.getByRole('button', { name: `Mark as done: ${film!.title}` }).waitFor();
  await page.evaluate(
    "(() => { const film = document.querySelector('video'); film.muted = true; return film.play(); })()",
  );
  await page.getByRole('button', { name: `Mark as not done: ${film!.title}` }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: `Mark as not done: ${film!.title}` }).waitFor();
  await page.getByRole('link', { name: 'Next video' }).click();
  await page.getByRole('heading', { name: next!.title }).waitFor();
});

it('offers the address of a file that cannot be played', async () => {
  const { page } = await taken('/broken.mp4');
  await page.getByText('This video cannot be played here.').waitFor();
  await page.getByRole('link', { name: /^Watch at 127\.0\.0\.1/ }).waitFor();
});
