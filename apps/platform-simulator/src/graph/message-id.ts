import { bytes } from '../random';

/** One id in so many has a serial of any bytes. */
const ODD_ONES = 8;

/**
 * A message id of the platform's real layout (platform §8.1). Digits and hexadecimal letters never give a `+` or a `/` in base64,
 * which the platform's ids sometimes hold; so some serials are bytes, for the sake of paths and logs.
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
