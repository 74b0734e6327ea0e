/**
 * Ends with 0 when the program of this container can take work, and with 1 when it cannot. It asks
 * the API, and where none listens the worker.
 */

const TIMEOUT_MS = 4000;

const { API_PORT = '3000', WORKER_METRICS_PORT = '9464' } = process.env;

async function answerOf(port) {
  try {
    return await fetch(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    return null;
  }
}

const answer = (await answerOf(API_PORT)) ?? (await answerOf(WORKER_METRICS_PORT));
if (!answer) process.stderr.write('Nothing listens.\n');
else if (!answer.ok) process.stderr.write(`${await answer.text()}\n`);
process.exitCode = answer?.ok ? 0 : 1;
