import { join } from 'node:path';
import { Child, ROOT } from '../../support/service/child';
import { INSTALLATIONS, startService } from '../../support/service/start-service';
import { audit } from '../../support/check/storm-check';

/** The stories of the examples, each to its end, and the books agree afterwards. */

it.each(INSTALLATIONS)(
  "a library's day, a course's term and a forum's week (%s)",
  async (name) => {
    const { target, env } = await startService({ on: name, apis: 1, workers: 1 });
    const child = new Child({
      name: 'stories',
      command: process.execPath,
      args: [join(ROOT, 'examples/stories.mjs')],
      env: { API_URL: target.url, TOKEN: target.admin },
    });
    expect({ ...(await child.exited), output: child.output }).toEqual({
      ...{ code: 0, signal: null },
      output: expect.stringMatching(/^09:00[^]*19:00[^]*Week 12[^]*Monday[^]*Sunday/m),
    });
    await audit(env);
  },
  180_000,
);
