import { join } from 'node:path';

/** How the pages are built, by Vite. */

const WEB = import.meta.dirname;
const PAGES = ['reader', 'console', 'desk'];

/** Libraries mark code for servers that render; here is none. */
const onLog = (level, log, tell) => {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
};

const config = (outDir, rolldownOptions) => ({
  root: WEB,
  configFile: false,
  logLevel: 'warn',
  build: { outDir, target: 'es2022', rolldownOptions: { ...rolldownOptions, onLog } },
});

/** `outDir`: where the files go; their names change with what they hold. */
export function pagesConfig(outDir, plugins = []) {
  const input = PAGES.map((page) => join(WEB, page, 'index.html'));
  const { build, ...rest } = config(outDir, { input });
  return { ...rest, plugins, build: { ...build, emptyOutDir: true } };
}

/** The worker for reading offline is one file, beside the others, that keeps its name. */
export function workerConfig(outDir) {
  const { build, ...rest } = config(outDir, {
    input: join(WEB, 'offline/worker.ts'),
    output: { entryFileNames: 'offline.js', format: 'iife' },
  });
  return { ...rest, build: { ...build, emptyOutDir: false, modulePreload: false } };
}
