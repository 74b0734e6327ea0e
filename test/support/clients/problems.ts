import type { Response } from 'supertest';

/** What tests say about refusals. */

/** As much of an answer as is looked at. */
type Refusal = Pick<Response, 'status' | 'headers' | 'type' | 'body'>;

/**
 * The answer is this problem, in its exact form; `extras` are its further members, such as the id
 * of what stands in the way.
 */
export function expectProblem(
  response: Refusal,
  status: number,
  code: string,
  extras: Readonly<Record<string, unknown>> = {},
): void {
  const { body } = response;
  expect({ status: response.status, code: body.code }).toEqual({ status, code });
  expect(response.type).toBe('application/problem+json');
  const texts = { title: expect.any(String), detail: expect.any(String) };
  expect(body).toEqual({
    type: `/problems/${code}`,
    status,
    code,
    ...texts,
    requestId: response.headers['x-request-id'],
    ...extras,
  });
}

/** The answer is a 400 that names exactly these faults, `field: code`, in any order. */
export function expectFaults(
  response: Refusal,
  faults: Readonly<Record<string, string>>,
  code = 'VALIDATION_FAILED',
): void {
  expectProblem(response, 400, code, { errors: expect.any(Array) });
  const errors = response.body.errors as Record<'field' | 'code' | 'message' | 'pointer', string>[];
  expect(Object.fromEntries(errors.map((error) => [error.field, error.code]))).toEqual(faults);
  for (const error of errors)
    expect(error).toEqual({
      field: error.field,
      code: error.code,
      message: expect.stringMatching(/\S/),
      // Of a field of the body alone.
      ...('pointer' in error && { pointer: expect.stringMatching(/^#(\/|$)/) }),
    });
}

/** Returns how many answers have each outcome: the code of a problem, else the status. */
export function outcomesOf(responses: readonly Response[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of responses) {
    const outcome = status < 400 ? String(status) : `${status} ${body.code}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}
