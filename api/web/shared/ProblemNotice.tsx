import { StreamReplaced, type Problem } from '@lendline/client';
import { language } from './format';
import { isOffline, problemOf, saidFaults, saidProblem } from './problem';
import { useSession } from './session';
import { texts } from './texts';

/** From this status on the service is at fault, and an operator looks for the request. */
const SERVICE_FAULTS = 500;

const unknownOf = (error: unknown, unanswered: string) =>
  error instanceof StreamReplaced
    ? texts.openElsewhere
    : isOffline(error)
      ? { title: texts.offline.title, detail: texts.offline.notSent }
      : { title: texts.noAnswer, detail: unanswered };

/** The service speaks English. */
const titleOf = ({ code, title }: Problem): string =>
  language === 'en' ? title : (texts.problems[code] ?? title);

/** Shows readers the words of the pages, and operators the problem's own. */
function Said({
  problem,
  isOperator,
}: {
  readonly problem: Problem;
  readonly isOperator: boolean;
}) {
  const faults = saidFaults(problem);
  return (
    <>
      {(isOperator || texts.problems[problem.code] === undefined) && (
        <strong>{titleOf(problem)}</strong>
      )}
      <p>{isOperator ? problem.detail : saidProblem(problem)}</p>
      {isOperator && faults.length > 1 && (
        <ul>
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      {(isOperator || problem.status >= SERVICE_FAULTS) && (
        <small>{texts.requestId(problem.requestId)}</small>
      )}
    </>
  );
}

/** Shows why something did not work. `unanswered`: the text when no answer came. */
export function ProblemNotice({
  error,
  unanswered = texts.notWritten,
  retry,
}: {
  readonly error: unknown;
  readonly unanswered?: string;
  readonly retry?: () => void;
}) {
  const { user } = useSession();
  if (!error) return null;
  const problem = problemOf(error);
  const unknown = unknownOf(error, unanswered);
  return (
    <div role="alert" className="problem">
      {problem ? (
        <Said problem={problem} isOperator={user?.isAdmin ?? false} />
      ) : (
        <>
          <strong>{unknown.title}</strong>
          <p>{unknown.detail}</p>
        </>
      )}
      {retry && (
        <p>
          <button type="button" className="small" onClick={retry}>
            {texts.tryAgain}
          </button>
        </p>
      )}
    </div>
  );
}
