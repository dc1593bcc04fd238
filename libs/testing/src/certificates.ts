import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';

interface TestCertificate {
  /** PEM */
  cert: string;
  /** Private key in PEM. */
  key: string;
  /** Issues a certificate that this one signs. */
  issue(wanted: Wanted): TestCertificate;
}
interface Wanted {
  /** A DNS name or IPv4 address. */
  host: string;
  /** Default: in a day. */
  expires?: Date;
}

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = der(0x30, oid('1.2.840.10045.4.3.2'));

/** A self-signed authority; `issue` creates certificates (X.509, RFC 5280) that it signs. */
export function testAuthority(): TestCertificate {
  return certificate({ host: 'authority.example.com' }, null);
}

/** A self-signed certificate. */
export function selfSigned(wanted: Wanted): TestCertificate {
  return certificate(wanted, null);
}

function certificate(
  { host, expires = new Date(Date.now() + DAY_MS) }: Wanted,
  issuer: { name: string; key: KeyObject } | null,
): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { name, key } = issuer ?? { name: host, key: privateKey };
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...randomBytes(8)])),
    ECDSA_WITH_SHA256,
    commonName(name),
    der(0x30, time(new Date(expires.getTime() - 2 * DAY_MS)), time(expires)),
    commonName(host),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extension('2.5.29.19', der(0x30, ...(issuer ? [] : [der(0x01, Buffer.from([0xff]))]))), alternativeName(host))),
  );
  const signature = sign('sha256', content, key);
  const whole = der(0x30, content, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    issue: (wanted) => certificate(wanted, { name: host, key: privateKey }),
  };
}

function alternativeName(host: string): Buffer {
  const name = isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
  return extension('2.5.29.17', der(0x30, name));
}

function extension(id: string, value: Buffer): Buffer {
  return der(0x30, oid(id), der(0x04, value));
}

function commonName(name: string): Buffer {
  return der(0x30, der(0x31, der(0x30, oid('2.5.4.3'), der(0x0c, Buffer.from(name)))));
}

function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((part) => {
    const septets = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) septets.unshift((left & 0x7f) | 0x80);
    return septets;
  });
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

/** One value of ASN.1 in DER: tag, length, contents. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const length =
    body.length < 0x80 ? [body.length] : body.length < 0x100 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
