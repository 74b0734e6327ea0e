import { BlockList, isIP } from 'node:net';

/**
 * Which addresses a webhook may have. Whoever registers one could otherwise make the service call
 * what only its own network reaches.
 */

/** Special-purpose addresses (RFC 6890 and its registry) that are not of the public Internet. */
const REFUSED_V4: readonly (readonly [address: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Within 2000::/3: Teredo and other protocols, examples, 6to4, which may lead to any IPv4. */
const REFUSED_V6: readonly (readonly [address: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const refused = new BlockList();
for (const [address, prefix] of REFUSED_V4) refused.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of REFUSED_V6) refused.addSubnet(address, prefix, 'ipv6');
/**
 * All that is public of IPv6. What stands for an IPv4 address, as mapped or by NAT64, is beyond it.
 */
const publicV6 = new BlockList();
publicV6.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address is one of the public Internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !refused.check(address, 'ipv4');
  return family === 6 && publicV6.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}

/** Names that never lead beyond the own network. */
const OWN_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i;

/** The host of a URL as it is connected to: an IPv6 address without its brackets. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Whether a URL itself says that it leads to a private network. Any other name may, too. */
export function namesPrivateHost(url: URL): boolean {
  // The parser has made dotted decimals of every other form of an IPv4 address.
  const host = hostOf(url);
  return isIP(host) === 0 ? OWN_NAMES.test(host) : !isPublicAddress(host);
}
