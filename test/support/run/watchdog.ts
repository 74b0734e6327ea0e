import { spawn } from 'node:child_process';

/**
 * Runs a shell script once this process is gone, however it went: also by SIGKILL, where no handler
 * of ours would run. A shell in a session of its own waits for the end of its standard input, whose
 * other end only this process holds. It waits by a command of its own and not with `cat`, which
 * would outlive a shell that is called off. Returns a function that calls it off.
 */
export function whenThisProcessIsGone(script: string, ...args: string[]): () => void {
  const shell = spawn(
    '/bin/sh',
    ['-c', `while read -r line; do :; done; ${script}`, 'watchdog', ...args],
    { detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  shell.on('error', () => undefined);
  shell.unref();
  // The stream is a socket underneath; referenced, it would keep a finished test run from ending.
  (shell.stdin as unknown as { unref(): void }).unref();
  return () => shell.kill('SIGKILL');
}
