import { bytes } from './random';

/** One id of this many has a serial of arbitrary bytes. */
const ODD_ONES = 8;

/**
 * A message id in the platform's layout (platform §8.1). Some serials are arbitrary bytes, because the platform's ids sometimes
 * contain `+` or `/`, which hexadecimal serials never give.
 */
export function messageId(recipient: string, random: () => number): string {
  const name = Buffer.from(recipient.slice(0, 20), 'latin1');
  const isOdd = random() < 1 / ODD_ONES;
  const serial = isOdd ? bytes(18, random) : Buffer.from(bytes(9, random).toString('hex').toUpperCase());
  const layout = [
    Buffer.from([0x1c, 0x18, name.length]),
    name,
    Buffer.from([0x15, 0x02, 0x00, 0x11, 0x18, 0x12]),
    serial,
    Buffer.from([0]),
  ];
  return `wamid.${Buffer.concat(layout).toString('base64')}`;
}
