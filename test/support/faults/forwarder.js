const { connect } = require('node:net');

/**
 * Runs in the namespace of a host (network.ts). It gets servers that listen outside of it, and
 * connects who comes there to a port inside. It ends with the process that has started it.
 */
process.on('disconnect', () => process.exit());
process.on('message', ({ port, address }, server) => {
  server.on('connection', (client) => {
    const inside = connect(port, address);
    for (const [from, to] of [
      [client, inside],
      [inside, client],
    ]) {
      from.setNoDelay(true).pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
});
