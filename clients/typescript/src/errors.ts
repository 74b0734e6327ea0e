/** What calls reject with when there is no result to return. */

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
