/**
 * The messages of one channel that are not acknowledged yet. A message may carry several commands,
 * of which a batch may end with any, so commands have places, numbered over all messages; a message
 * is done when its last command is.
 */
export class Unacknowledged {
  /** Of all messages. */
  bytes = 0;
  private places = 0;
  private readonly messages: {
    readonly tag: number;
    readonly lastPlace: number;
    readonly bytes: number;
  }[] = [];

  /** Takes a message with so many commands, and returns the place of the first. */
  add(tag: number, commands: number, bytes: number): number {
    const first = this.places + 1;
    this.places += commands;
    this.bytes += bytes;
    this.messages.push({ tag, lastPlace: this.places, bytes });
    return first;
  }

  /**
   * Everything up to a place is done: the tag of the last message that is done with it, and stands
   * for those before it; null when none is.
   */
  done(place: number): number | null {
    let tag: number | null = null;
    for (let [first] = this.messages; first && first.lastPlace <= place; [first] = this.messages) {
      tag = first.tag;
      this.bytes -= first.bytes;
      this.messages.shift();
    }
    return tag;
  }
}
