/**
 * Where a private server or a program runs: on this machine's loopback, or at a host of a network.
 */
export interface Place {
  /** What its servers listen at. */
  readonly address: string;
  /** What stands before a command that is to run there. */
  readonly through: readonly string[];
  /**
   * Returns at which host and port this process reaches a port there, of this address or of another
   * one of the place.
   */
  reach(port: number, address?: string): Promise<string>;
}

export const LOOPBACK: Place = {
  address: '127.0.0.1',
  through: [],
  reach: (port, address = '127.0.0.1') => Promise.resolve(`${address}:${port}`),
};

/** Returns how this process reaches a program that listens at this URL of its place. */
export async function reachedAt(place: Place, listens: string): Promise<string> {
  const url = new URL(listens);
  // Listening at all addresses is listening at this one.
  const hostname = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname;
  url.host = await place.reach(Number(url.port), hostname);
  return url.origin;
}
