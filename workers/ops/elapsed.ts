import { SingleBar } from 'cli-progress';

/** How long work lasts before a terminal shows that it is under way, milliseconds. */
const SHOWN_AFTER_MS = 2000;

/**
 * Shows on a terminal for how long a command has been under way, when that is long. What reads
 * stderr from a file or pipe gets none of it.
 */
export async function showingElapsed<Result>(
  name: string,
  work: () => Promise<Result>,
  stream: NodeJS.WritableStream = process.stderr,
): Promise<Result> {
  const format = `${name} has been running for {duration_formatted}`;
  const bar = new SingleBar({ format, stream, clearOnComplete: true, hideCursor: true, fps: 2 });
  const later = setTimeout(() => {
    bar.start(1, 0);
  }, SHOWN_AFTER_MS);
  try {
    return await work();
  } finally {
    clearTimeout(later);
    bar.stop();
  }
}
