import { isPublicAddress, namesPrivateHost } from '../../../shared/webhooks/addresses';

describe('a webhook may not lead to', () => {
  it.each([
    ['loopback', 'http://127.0.0.1/'],
    ['loopback, in short', 'http://127.1/'],
    ['loopback, as a decimal', 'http://2130706433/'],
    ['loopback, in hexadecimal', 'http://0x7f000001/'],
    ['loopback, in octal', 'http://0177.0.0.01/'],
    ['loopback of IPv6', 'http://[::1]/'],
    ['loopback, mapped to IPv6', 'http://[::ffff:127.0.0.1]/'],
    ['loopback, by NAT64', 'http://[64:ff9b::7f00:1]/'],
    ['loopback, by 6to4', 'http://[2002:7f00:1::]/'],
    ['loopback, by name', 'http://localhost/'],
    ['loopback, by name with a dot', 'http://db.localhost./'],
    ['any address', 'http://0.0.0.0/'],
    ['any address of IPv6', 'http://[::]/'],
    ['a private network', 'http://10.1.2.3/'],
    ['another private network', 'http://172.31.255.255/'],
    ['one more private network', 'http://192.168.0.1/'],
    ['the network of a provider', 'http://100.64.0.1/'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data'],
    ['a link of IPv6', 'http://[fe80::1]/'],
    ['a private network of IPv6', 'http://[fd00::1]/'],
    ['many receivers', 'http://224.0.0.1/'],
    ['everybody', 'http://255.255.255.255/'],
    ['a name of the own network', 'http://rabbitmq.internal/'],
  ])('%s', (_what, url) => {
    expect(namesPrivateHost(new URL(url))).toBe(true);
  });
});

it.each([
  'https://example.org/',
  'http://8.8.8.8/',
  'http://[2606:4700:4700::1111]/',
  'http://172.32.0.1/',
])('a webhook may lead to %s', (url) => {
  expect(namesPrivateHost(new URL(url))).toBe(false);
});

it('a text that is not an address is not public', () => {
  for (const text of ['', 'example.org', '::ffff:8.8.8.8', '64:ff9b::808:808'])
    expect(isPublicAddress(text)).toBe(false);
});
