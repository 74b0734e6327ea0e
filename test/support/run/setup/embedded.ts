import { cleanUp } from '../cleanup';
import { shareLogs } from '../logs';
import { enlargeShare } from '../processor-share';
import { makeSqliteTemplate } from '../../servers/database';
import { newSecret, startEmbedded } from '../../service/processes';
import { exportedSecret, exportTarget } from '../../service/target';

/** The project `embedded`: one process for all contract tests of the run. */
export default async function setUpEmbedded(): Promise<void> {
  enlargeShare();
  try {
    await makeSqliteTemplate();
    const { child, url } = await startEmbedded({ env: { JWT_SECRET: exportedSecret(newSecret) } });
    await shareLogs('embedded', [child]);
    exportTarget('embedded', [url]);
  } catch (error) {
    await cleanUp();
    throw error;
  }
}
