import { Confirmed } from '../shared/Confirmed';
import { newIntent, useWrite } from '../shared/write';
import { WriteProblem } from '../shared/WriteProblem';
import { drainWorker, resumeWorker } from './calls';
import type { Sample } from './samples';
import { consoleTexts } from './texts';

type Worker = Sample['workers'][number];

const of = consoleTexts.drain;

/** Shows whether a worker takes partitions. */
export function WorkerState({ state }: Pick<Worker, 'state'>) {
  return (
    <span className={state === 'serving' ? 'badge good' : 'badge warn'}>{of.states[state]}</span>
  );
}

/** Drains a worker, or lets it take partitions again, after it has asked. */
export function Drain({
  worker: { worker, state },
  partitions,
}: {
  readonly worker: Worker;
  /** How many it has. */
  readonly partitions: number;
}) {
  const drain = useWrite(drainWorker);
  const resume = useWrite(resumeWorker);
  return (
    <>
      <div className="actions">
        {state === 'serving' ? (
          <Confirmed
            label={of.drain}
            question={of.drainQuestion(worker)}
            explained={of.drainExplained(partitions)}
            confirm={of.drain}
            isBusy={drain.isPending}
            act={() => {
              drain.mutate(newIntent(worker));
            }}
          />
        ) : (
          <Confirmed
            label={of.resume}
            question={of.resumeQuestion(worker)}
            explained={of.resumeExplained}
            confirm={of.resume}
            isBusy={resume.isPending}
            isDangerous={false}
            act={() => {
              resume.mutate(newIntent(worker));
            }}
          />
        )}
      </div>
      <WriteProblem write={drain} />
      <WriteProblem write={resume} />
    </>
  );
}
