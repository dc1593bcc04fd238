import { createSocket } from 'node:dgram';

/** Addresses of a name; `undefined`: no response; empty: the name exists without an address. */
type Zone = (name: string, type: 'A' | 'AAAA') => string[] | undefined;

export interface NameServer {
  /** `address:port` */
  address: string;
  /** The queries so far, as `name type`. */
  questions: string[];
  close(): Promise<void>;
}

const NO_SUCH_NAME = 3;
const TYPES: Record<number, 'A' | 'AAAA'> = { 1: 'A', 28: 'AAAA' };

/** A DNS server over UDP (RFC 1035) with given responses. On close it refuses the queries that it left open. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const questions: string[] = [];
  const open: (() => void)[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    const asked = TYPES[type];
    if (!asked) return;
    questions.push(`${name} ${asked}`);
    const addresses = zone(name, asked);
    const respond = (code: number, records: Buffer[]) => {
      const head = Buffer.alloc(12);
      query.copy(head, 0, 0, 2);
      head.writeUInt16BE(0x8180 + code, 2);
      head.writeUInt16BE(1, 4);
      head.writeUInt16BE(records.length, 6);
      socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), port, address);
    };
    if (addresses)
      respond(
        0,
        addresses.map((one) => record(type, one)),
      );
    else open.push(() => respond(NO_SUCH_NAME, []));
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () =>
      new Promise((resolve) => {
        open.forEach((deny) => deny());
        socket.close(() => resolve());
      }),
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** An address record for the queried name, valid for a minute. */
function record(type: number, address: string): Buffer {
  const data = bytesOf(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [before = '', after] = address.split('::');
  const groups = (text: string | undefined) => (text ? text.split(':').map((group) => parseInt(group, 16)) : []);
  const [first, last] = [groups(before), groups(after)];
  const bytes = Buffer.alloc(16);
  [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last].forEach((group, i) => bytes.writeUInt16BE(group, 2 * i));
  return bytes;
}
