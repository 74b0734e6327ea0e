/**
 * The unacknowledged messages of one channel.
 * A message may carry several commands, and a batch may end with any of them. Commands therefore
 * have places, numbered over all messages. A message is done when its last command is.
 */
export class Unacknowledged {
  /** Bytes of all messages. */
  bytes = 0;
  private places = 0;
  private readonly messages: {
    readonly tag: number;
    readonly lastPlace: number;
    readonly bytes: number;
  }[] = [];

  /** Adds a message with this many commands, and returns the place of the first. */
  add(tag: number, commands: number, bytes: number): number {
    const first = this.places + 1;
    this.places += commands;
    this.bytes += bytes;
    this.messages.push({ tag, lastPlace: this.places, bytes });
    return first;
  }

  /**
   * Marks everything up to a place as done. Returns the tag of the last finished message, which
   * stands for those before it, or null.
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
