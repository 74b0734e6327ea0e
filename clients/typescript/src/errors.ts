import type { Problem } from './types.js';

/** What calls reject with when there is no result to return. */

/** The service has refused. `request` returns refusals; lists, streams and `valueOf` throw them. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** No usable answer came, however often the request was sent. A write may have had its effect. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** The command was accepted and not done in time. It is carried out all the same. */
export class Unfinished extends Error {
  override readonly name = 'Unfinished';

  constructor(
    readonly commandId: string,
    readonly statusUrl: string,
  ) {
    super(`Command ${commandId} is not done yet. Ask for it at ${statusUrl}.`);
  }
}

/** Another stream of the same token took the place of this one. */
export class StreamReplaced extends Error {
  override readonly name = 'StreamReplaced';

  constructor() {
    super('Another stream with the same token took the place of this one.');
  }
}
