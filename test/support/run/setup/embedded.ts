import { cleanUp } from '../cleanup';
import { shareLogs } from '../logs';
import { enlargeShare } from '../processor-share';
import { makeSqliteTemplate } from '../../servers/database';
import { startEmbedded } from '../../service/processes';
import { exportTarget } from '../../service/target';
import { sharedEnvironment } from './shared-environment';

/** The project `embedded`: one process for all contract tests of the run. */
export default async function setUpEmbedded(): Promise<void> {
  enlargeShare();
  try {
    await makeSqliteTemplate();
    const { child, url } = await startEmbedded({ env: sharedEnvironment() });
    await shareLogs('embedded', [child]);
    exportTarget('embedded', [url]);
  } catch (error) {
    await cleanUp();
    throw error;
  }
}
