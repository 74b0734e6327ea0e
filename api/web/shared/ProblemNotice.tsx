import { problemOf } from './problem';
import { StreamReplaced } from './stream';
import { texts } from './texts';

/**
 * Why something did not work: the problem's own words and the request's id, which an operator can
 * look up.
 */
export function ProblemNotice({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
}) {
  if (!error) return null;
  const problem = problemOf(error);
  const unknown =
    error instanceof StreamReplaced
      ? texts.openElsewhere
      : { title: texts.noAnswer, detail: texts.noAnswerDetail };
  return (
    <div role="alert" className="problem">
      <strong>{problem?.title ?? unknown.title}</strong>
      <p>{problem?.detail ?? unknown.detail}</p>
      {problem?.errors && problem.errors.length > 1 && (
        <ul>
          {problem.errors.map(({ field, message }) => (
            <li key={`${field} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      {problem && <small>{texts.requestId(problem.requestId)}</small>}
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
