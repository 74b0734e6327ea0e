import { refusalAnswer, refusalJson } from '../../../api/http/responses/problem';
import { statusOf } from '../../../api/http/responses/problem-kinds';

describe('the problem table', () => {
  it.each([
    ['VALIDATION_FAILED', 400],
    ['INVALID_CREDENTIALS', 401],
    ['FORBIDDEN', 403],
    ['BORROW_NOT_FOUND', 404],
    ['METHOD_NOT_ALLOWED', 405],
    ['OUT_OF_STOCK', 409],
    ['USERNAME_TAKEN', 409],
    ['VERSION_MISMATCH', 412],
    ['PAYLOAD_TOO_LARGE', 413],
    ['UNSUPPORTED_MEDIA_TYPE', 415],
    ['IDEMPOTENCY_KEY_REUSED', 422],
    ['RATE_LIMITED', 429],
    ['COMMAND_FAILED', 500],
    ['UNAVAILABLE', 503],
    ['ACCEPTANCE_UNKNOWN', 503],
  ])('gives %s the status %i', (code, status) => {
    expect(statusOf(code)).toBe(status);
  });

  it('takes a code that only a newer worker knows as a conflict', () => {
    expect(statusOf('SOMETHING_NEW')).toBe(409);
    expect(statusOf('toString')).toBe(409);
  });
});

describe('a refusal', () => {
  const refusal = {
    code: 'ALREADY_BORROWED',
    detail: 'You have already borrowed this title.',
    ids: { borrowId: 7 },
  };

  it('becomes a problem with the ids of what stands in the way', () => {
    expect(JSON.parse(refusalJson(refusal, 'r-1'))).toEqual({
      type: '/problems/ALREADY_BORROWED',
      title: 'You have already borrowed this title',
      status: 409,
      code: 'ALREADY_BORROWED',
      detail: 'You have already borrowed this title.',
      requestId: 'r-1',
      borrowId: 7,
    });
  });

  it('is answered with the same text, byte for byte, as problem+json', () => {
    const answer = refusalAnswer(refusal, 'r-1');
    expect(answer.json).toBe(refusalJson(refusal, 'r-1'));
    expect(answer).toMatchObject({
      status: 409,
      headers: { 'Content-Type': 'application/problem+json; charset=utf-8' },
    });
  });
});
