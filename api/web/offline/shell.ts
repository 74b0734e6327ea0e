/** Keeps the page itself with its files, as they were last loaded. */

const SHELL = 'lendline.shell';
/** The same document shows every place of readers. */
const DOCUMENT = '/';

const filesOf = (document: string): string[] =>
  [...document.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, file = '']) => file);

/** Keeps the document of a load. A newer one has other files, and replaces the former ones. */
export async function keepShell(answer: Response): Promise<void> {
  const before = await keptShell();
  const text = await answer.clone().text();
  if ((await before?.text()) === text) return;
  if (before) await caches.delete(SHELL);
  const shell = await caches.open(SHELL);
  await shell.addAll(filesOf(text));
  await shell.put(DOCUMENT, answer);
}

export const keptShell = (): Promise<Response | undefined> =>
  caches.match(DOCUMENT, { cacheName: SHELL });

/** Keeps files that were loaded before this worker ran. */
export async function keepFiles(files: readonly string[]): Promise<void> {
  const shell = await caches.open(SHELL);
  for (const file of files) if (!(await shell.match(file))) await shell.add(file);
}

/** Returns a file whose name changes with its content, so that the kept one is as good. */
export async function fileOf(request: Request): Promise<Response> {
  const kept = await caches.match(request.url, { cacheName: SHELL });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(SHELL)).put(request.url, answer.clone());
  return answer;
}
