import { MISSING, modelPrograms, search, SEARCH_MS } from '../model/model';
import { PROTOCOLS, REMOVED } from '../model/variants';

/** The model of the pipeline, searched by Spin. */

const programs = modelPrograms();
if (!programs) process.stderr.write(`${MISSING}\n`);
const whereSpinIs = programs ? describe : describe.skip;

whereSpinIs('the model of the pipeline', () => {
  const searched = (...definitions: string[]) =>
    search(programs ?? { spin: '', compiler: '' }, definitions);

  it.each(PROTOCOLS.filter(({ apart }) => !apart))(
    'keeps every property in every state, with $name',
    async ({ definitions }) => {
      const found = await searched(...definitions);
      expect(found).toMatchObject({ broken: null, complete: true });
    },
    SEARCH_MS,
  );

  it.each(REMOVED)(
    'breaks a property without $guard',
    async ({ definition, with: more = [], broken }) => {
      expect(await searched('FAULTS=1', definition, ...more)).toMatchObject({ broken });
    },
    SEARCH_MS,
  );
});
