/** Closes a connection or channel. It does not matter if it was closed before. */
export async function closeQuietly(one: { close(): Promise<void> }): Promise<void> {
  try {
    await one.close();
  } catch {
    // It is closed.
  }
}
