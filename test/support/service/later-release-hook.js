/**
 * Loaded into a program under test with NODE_OPTIONS=--require: makes it one of a made-up later
 * release. Its API writes a field more into every command, and borrows in version 2. Its worker
 * reads both.
 */
const wrapExports = require('./wrap-exports');

const later = (envelope) => ({
  ...envelope,
  later: 'a field that came later',
  ...(envelope.type === 'lending.borrow-book' && { version: 2 }),
});

function earlier(content) {
  try {
    const { version, ...envelope } = JSON.parse(content);
    return JSON.stringify(version > 2 ? { version, ...envelope } : envelope);
  } catch {
    return content;
  }
}

wrapExports({
  encodeEnvelope: (encode) => (envelope) => encode(later(envelope)),
  commandDecoder:
    (make) =>
    (...given) => {
      const decode = make(...given);
      return (content) => decode(earlier(content));
    },
});
