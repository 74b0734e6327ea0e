import { join } from 'node:path';

/** How the pages are built, by Vite. */

const WEB = import.meta.dirname;
const PAGES = ['reader', 'console', 'desk'];

/** Libraries mark code for servers that render; here is none. */
const onLog = (level, log, tell) => {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
};

/** `outDir`: where the files go; their names change with what they hold. */
export const pagesConfig = (outDir, plugins = []) => ({
  root: WEB,
  configFile: false,
  logLevel: 'warn',
  plugins,
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: { input: PAGES.map((page) => join(WEB, page, 'index.html')), onLog },
  },
});
