import { join } from 'node:path';
import { sampleOf } from '../../support/run/amount';
import { Child, ROOT } from '../../support/service/child';
import { INSTALLATIONS, startService } from '../../support/service/start-service';
import { audit } from '../../support/check/storm-check';
import { onDatabase } from '../../support/servers/rows';
import { waitUntil } from '../../support/wait';

/** The stories of the examples, each to its end, and the books agree afterwards. */

const STORY_MS = 240_000;

it.each(sampleOf(INSTALLATIONS, 'embedded'))(
  "a library's day, a course's term and a forum's week (%s)",
  async (name) => {
    const { target, env } = await startService({ on: name });
    const child = new Child({
      name: 'stories',
      command: process.execPath,
      args: [join(ROOT, 'examples/stories.mjs')],
      env: { API_URL: target.url, TOKEN: target.admin, OVERDUE: 'true' },
    });
    const awaited = () => /^20:00 {2}Borrow (\d+) becomes overdue/m.exec(child.output)?.[1];
    await waitUntil(
      'the story waits for a loan',
      STORY_MS,
      () => awaited() !== undefined || !child.running,
    );
    // Two days in a moment: no clock is moved, for a test shares its database server.
    if (awaited() !== undefined)
      await onDatabase(env, (select) =>
        select(`UPDATE book_user SET due_at = borrowed_at WHERE id = ${awaited()}`),
      );
    expect({ ...(await child.exited), output: child.output }).toEqual({
      ...{ code: 0, signal: null },
      output: expect.stringMatching(/^09:00[^]*21:00[^]*Week 12[^]*Monday[^]*Sunday/m),
    });
    await audit(env);
  },
  STORY_MS * 2,
);
