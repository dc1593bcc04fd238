import { createServer as createPlain, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';

export interface RawReceiver {
  port: number;
  /** Connections so far. */
  connections: number;
  /** Open connections. */
  open: number;
  /** Complete requests, as their bytes. */
  requests: string[];
  close(): Promise<void>;
}

interface RawOptions {
  /** The local address; by default 127.0.0.1. */
  host?: string;
  port?: number;
  /** PEM; enables TLS. */
  tls?: { key: string; cert: string };
}

/**
 * A server below HTTP that can break every rule: it runs a given function on the connection of each complete request (with a
 * Content-Length). Without `respond` it stays silent.
 */
export async function startRawReceiver(
  respond: (socket: Socket, request: string) => void = () => undefined,
  { host = '127.0.0.1', port = 0, tls }: RawOptions = {},
): Promise<RawReceiver> {
  const sockets = new Set<Socket>();
  const receiver: RawReceiver = {
    port,
    connections: 0,
    requests: [],
    get open() {
      return sockets.size;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        sockets.forEach((socket) => socket.destroy());
      }),
  };
  const onConnection = (socket: Socket) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [head = '', ...rest] = text.split('\r\n\r\n');
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      if (rest.length === 0 || rest.join('\r\n\r\n').length < length) return;
      receiver.requests.push(text);
      respond(socket, text);
      text = '';
    });
    socket.on('error', () => undefined);
  };
  const server = tls ? createTls(tls, onConnection) : createPlain(onConnection);
  server.on('connection', (socket: Socket) => {
    receiver.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  receiver.port = (server.address() as AddressInfo).port;
  return receiver;
}
