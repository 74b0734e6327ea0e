import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ProblemNotice } from '../shared/ProblemNotice';
import { discardLetter, replayLetter, type Letter } from './calls';
import { Confirmed } from '../shared/Confirmed';
import { nameOf } from './DeadLetter';
import { consoleTexts } from './texts';

/** Acts on dead letters one after the other, which keeps the order of an aggregate. */
interface Work {
  readonly run: (letter: number) => Promise<unknown>;
  readonly letters: readonly number[];
}

/** Returns one letter of each aggregate, because a replay takes all of its aggregate. */
const oneOfEach = (letters: readonly Letter[]): readonly Letter[] => [
  ...new Map(letters.map((letter) => [letter.aggregate ?? letter.letter, letter])).values(),
];

const of = consoleTexts.letters;

/** Shows what can be done to the selected dead letters at once. */
export function BulkLetters({
  selected,
  isAll,
  selectAll,
}: {
  readonly selected: readonly Letter[];
  readonly isAll: boolean;
  readonly selectAll: (isSelected: boolean) => void;
}) {
  const queries = useQueryClient();
  const [done, setDone] = useState(0);
  const act = useMutation({
    mutationFn: async ({ run, letters }: Work) => {
      setDone(0);
      for (const letter of letters) {
        await run(letter);
        setDone((count) => count + 1);
      }
    },
    networkMode: 'always',
    onSettled: () => queries.invalidateQueries({ queryKey: ['console'] }),
  });
  const isBusy = act.isPending || selected.length === 0;
  const replayed = oneOfEach(selected);
  const numbers = (letters: readonly Letter[]) => letters.map(({ letter }) => letter);
  return (
    <div className="bulk">
      <label>
        <input
          type="checkbox"
          checked={isAll}
          onChange={(event) => {
            selectAll(event.currentTarget.checked);
          }}
        />
        {of.selectAll}
      </label>
      <span role="status">
        {act.isPending
          ? of.running(done, act.variables.letters.length)
          : of.selected(selected.length)}
      </span>
      <Confirmed
        label={of.replaySelected}
        question={of.replayTitle}
        explained={of.willReplay(
          replayed.map(({ aggregate }) => aggregate ?? consoleTexts.letters.unreadable),
        )}
        confirm={of.replayTitle}
        isBusy={isBusy}
        isDangerous={false}
        act={() => {
          act.mutate({ run: replayLetter, letters: numbers(replayed) });
        }}
      />
      <Confirmed
        label={of.discardSelected}
        question={of.discardMany(selected.length)}
        explained={of.willDiscard(selected.map(nameOf))}
        confirm={consoleTexts.letters.discardReally}
        isBusy={isBusy}
        act={() => {
          act.mutate({ run: discardLetter, letters: numbers(selected) });
        }}
      />
      <ProblemNotice error={act.error} />
    </div>
  );
}
