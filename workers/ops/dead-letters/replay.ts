import type { Sequelize } from 'sequelize-typescript';
import { chooseInstallation, serversOption, withDatabase } from '../installation';
import { OpsError, type OpsCommand } from '../command';
import { Replay, type Replayed } from './replay-run';
import {
  firstOf,
  LETTER,
  meant,
  selected,
  selectionOptions,
  shown,
  type Selection,
} from './selection';

async function replay(
  database: Sequelize,
  selection: Selection,
  tell: (replayed: Replayed) => void,
): Promise<Replay> {
  const { one } = selection;
  const first = one?.aggregateKey ? await firstOf(one.aggregateKey) : one;
  if (one && first && first.seq !== one.seq) {
    throw new OpsError(
      `Letter ${one.seq} stands behind letter ${first.seq} of ${shown(one.aggregateKey ?? '')}: replay that one first, or all with --aggregate.`,
    );
  }
  const run = new Replay(database, selection, tell);
  await run.toTheEnd();
  return run;
}

const told = ({ letter, type, aggregate, result, detail }: Replayed): string =>
  shown(
    `letter ${letter} ${type ?? '-'} ${aggregate ?? '-'}: ${result}${detail ? `, ${detail}` : ''}`,
  );

export const replayDeadLetters: OpsCommand = {
  summary: 'Replay dead letters in order',
  operands: [LETTER],
  options: {
    ...selectionOptions,
    ...serversOption,
    json: { help: 'print what became of each as JSON' },
  },
  notes:
    'The letters go through their queues, with the command ids that they had; the new outcome takes the place of the failed\none. What has come for the aggregate meanwhile is carried out after them. Can be broken off and called again: nothing\nis done twice. Exits 1 when a letter failed again, cannot be replayed, or was not carried out, as when no worker runs.',
  async run(given) {
    const asked = meant(given);
    const json = given.flag('json');
    const tell = (replayed: Replayed) => {
      if (!json) process.stdout.write(`${told(replayed)}\n`);
    };
    const { replayed, waiting } = await withDatabase(
      chooseInstallation(given.flag('servers')),
      async (database) => replay(database, await selected(asked), tell),
    );
    const done = replayed.filter(
      ({ result }) => result === 'succeeded' || result === 'refused',
    ).length;
    if (json) process.stdout.write(`${JSON.stringify({ replayed, waiting })}\n`);
    else
      process.stdout.write(
        `carried out ${done}${waiting > 0 ? `; ${waiting} wait for a worker and will be carried out when one runs` : ''}\n`,
      );
    return done === replayed.length && waiting === 0 ? 0 : 1;
  },
};
