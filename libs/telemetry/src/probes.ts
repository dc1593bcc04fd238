import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from './logger';
import { metricsText } from './metrics';

export interface Probes {
  readonly port: number;
  close(): Promise<void>;
}

function write(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
}

/** Opens a service's private port: `/livez` (the process runs), `/readyz` (it can work now), `/metrics`. Port 0 takes any free one. */
export async function startProbes(options: {
  port: number;
  host?: string;
  ready: () => Promise<boolean> | boolean;
  logger: Logger;
}): Promise<Probes> {
  const server = createServer((request, response) => {
    void respond(request.url ?? '/', response).catch((error: unknown) => {
      options.logger.error({ err: error }, 'probe failed');
      write(response, 500, 'error');
    });
  });
  const respond = async (url: string, response: ServerResponse) => {
    if (url === '/livez') return write(response, 200, 'ok');
    if (url === '/readyz') return (await isReady()) ? write(response, 200, 'ready') : write(response, 503, 'not ready');
    if (url !== '/metrics') return write(response, 404, 'not found');
    const { text, type } = await metricsText();
    return write(response, 200, text, type);
  };
  const isReady = async () => {
    try {
      return await options.ready();
    } catch {
      return false;
    }
  };
  server.requestTimeout = 5_000;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(options.port, options.host ?? '0.0.0.0', resolve)).catch(
    (error: Error) => {
      throw new Error(`PROBE_PORT: ${error.message}`, { cause: error });
    },
  );
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
