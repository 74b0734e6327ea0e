import type { Sequelize } from 'sequelize-typescript';
import type { Services } from '../../../shared/service';
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
  decode: Services['decode'],
  tell: (replayed: Replayed) => void,
): Promise<Replay> {
  const { one } = selection;
  const first = one?.aggregateKey ? await firstOf(one.aggregateKey) : one;
  if (one && first && first.seq !== one.seq) {
    throw new OpsError(
      `Dead letter ${one.seq} is behind dead letter ${first.seq} of ${shown(one.aggregateKey ?? '')}. Replay that one first, or all of them with --aggregate.`,
    );
  }
  const run = new Replay(database, selection, decode, tell);
  await run.toTheEnd();
  return run;
}

const told = ({ letter, type, aggregate, result, detail }: Replayed): string =>
  shown(
    `dead letter ${letter} ${type ?? '-'} ${aggregate ?? '-'}: ${result}${detail ? `, ${detail}` : ''}`,
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
    'Commands go through their queues again and keep their ids. The new outcome replaces the failed one. Commands that\narrived for the aggregate meanwhile are carried out after them. Safe to interrupt and to run again.\nExits 1 when a dead letter failed again, cannot be replayed, or was not carried out, for instance without a worker.',
  async run(given, { decode }) {
    const asked = meant(given);
    const json = given.flag('json');
    const tell = (replayed: Replayed) => {
      if (!json) process.stdout.write(`${told(replayed)}\n`);
    };
    const { replayed, waiting } = await withDatabase(
      chooseInstallation(given.flag('servers')),
      async (database) => replay(database, await selected(asked), decode, tell),
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
