/** A message id of the platform's real layout (platform §8.1): base64, so that `+`, `/` and `=` occur in paths and logs. */
export function messageId(recipient: string, random: () => number): string {
  const name = Buffer.from(recipient.slice(0, 20), 'latin1');
  const serial = Buffer.from(Array.from({ length: 9 }, () => Math.floor(random() * 256)))
    .toString('hex')
    .toUpperCase();
  const bytes = [
    Buffer.from([0x1c, 0x18, name.length]),
    name,
    Buffer.from([0x15, 0x02, 0x00, 0x11, 0x18, 0x12]),
    Buffer.from(serial),
    Buffer.from([0]),
  ];
  return `wamid.${Buffer.concat(bytes).toString('base64')}`;
}
