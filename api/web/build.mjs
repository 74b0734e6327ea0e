import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';

/** Builds the pages: files with names that change with what they hold. */

const WEB = import.meta.dirname;
const OUT = resolve(WEB, '../../dist/api/web');

const PAGES = ['reader', 'console', 'desk'];

/** Libraries mark code for servers that render; here is none. */
const onLog = (level, log, tell) => {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
};

await build({
  root: WEB,
  configFile: false,
  logLevel: 'warn',
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: { input: PAGES.map((page) => join(WEB, page, 'index.html')), onLog },
  },
});
cpSync(join(WEB, 'docs'), join(OUT, 'docs'), { recursive: true });
