import { BlockList, isIP } from 'node:net';

/**
 * Which addresses a webhook may have. Without these rules, anyone who registers one could make the
 * service call hosts of its own network.
 */

/** Special-purpose addresses (RFC 6890 and its registry) outside of the public Internet. */
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
 * The public part of IPv6. Addresses that stand for IPv4, mapped or by NAT64, are outside of it.
 */
const publicV6 = new BlockList();
publicV6.addSubnet('2000::', 3, 'ipv6');

/** Returns whether an IP address belongs to the public Internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !refused.check(address, 'ipv4');
  return family === 6 && publicV6.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}

/** Names that never lead beyond the local network. */
const OWN_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i;

/** Returns the host of a URL in the form for connecting: an IPv6 address without brackets. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Returns whether the URL itself names a private network. Any other name may lead there, too. */
export function namesPrivateHost(url: URL): boolean {
  // The parser has turned every form of an IPv4 address into dotted decimals.
  const host = hostOf(url);
  return isIP(host) === 0 ? OWN_NAMES.test(host) : !isPublicAddress(host);
}
