import { cleanUp } from '../cleanup';
import { enlargeShare } from '../processor-share';
import { makeTemplates } from '../../servers/database';
import { exportServers } from '../../servers/fresh';
import { provideServers } from '../../servers/servers';

let started: Promise<void> | undefined;

/**
 * Servers for the projects `integration`, `faults` and `servers`. Jest runs each setup file once
 * for all projects that name it; that another setup file asks for servers as well is why the start
 * is remembered here.
 */
export default function startServersOnce(): Promise<void> {
  started ??= start().catch(async (error: unknown) => {
    // Jest runs no teardown after a setup that failed.
    await cleanUp();
    throw error;
  });
  return started;
}

async function start(): Promise<void> {
  enlargeShare();
  exportServers(await provideServers());
  await makeTemplates();
}
