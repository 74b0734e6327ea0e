import type { Filter } from './proxy';

/** Bytes of an AMQP frame before its payload, and after it. */
const HEADER_BYTES = 7;
const END_BYTES = 1;
const METHOD_FRAME = 1;
/** `basic.ack` and `basic.nack`, which a broker sends only as confirms. */
const BASIC = 60;
const CONFIRMS = [80, 120];

const isConfirm = (frame: Buffer): boolean =>
  frame[0] === METHOD_FRAME &&
  frame.readUInt16BE(HEADER_BYTES) === BASIC &&
  CONFIRMS.includes(frame.readUInt16BE(HEADER_BYTES + 2));

/**
 * Of what a broker sends, drops the confirms for as long as `dropping` says so. Everything else
 * passes, in whole frames.
 */
export function lostConfirms(dropping: () => boolean): Filter {
  return () => {
    let rest = Buffer.alloc(0);
    return (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      const passed: Buffer[] = [];
      while (rest.length >= HEADER_BYTES) {
        const length = HEADER_BYTES + rest.readUInt32BE(3) + END_BYTES;
        if (rest.length < length) break;
        const frame = rest.subarray(0, length);
        rest = rest.subarray(length);
        if (!dropping() || !isConfirm(frame)) passed.push(frame);
      }
      return Buffer.concat(passed);
    };
  };
}
