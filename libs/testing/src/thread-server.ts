import { Worker } from 'node:worker_threads';

/** A server in a thread of its own, whose only response arrives while the test's thread is blocked. */
interface ThreadServer {
  /** The argument of `listening`. */
  address: string;
  /** Whether the request has arrived, which waits for `standStill`. */
  hasRequest(): boolean;
  /** Blocks the test's thread until the server has responded and this time has passed, in milliseconds. */
  standStill(ms: number): Promise<void>;
  stop(): Promise<unknown>;
}

const REQUESTED = 0;
const MAY_RESPOND = 1;
const RESPONDED = 2;

const PRELUDE = `
const { parentPort, workerData: flags } = require('node:worker_threads');
const listening = (address) => parentPort.postMessage(String(address));
const requested = (respond) => {
  Atomics.store(flags, ${REQUESTED}, 1);
  Atomics.wait(flags, ${MAY_RESPOND}, 0);
  respond(() => {
    Atomics.store(flags, ${RESPONDED}, 1);
    Atomics.notify(flags, ${RESPONDED});
  });
};
`;

/**
 * @param code JavaScript of the server. It calls `listening(address)` once it accepts requests, and `requested(respond)` when one has arrived;
 *   `respond(done)` responds and calls `done` when the response has left
 */
export async function startThreadServer(code: string): Promise<ThreadServer> {
  const flags = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
  const thread = new Worker(PRELUDE + code, { eval: true, workerData: flags });
  const address = await new Promise<string>((resolve, reject) => thread.once('message', resolve).once('error', reject));
  return {
    address,
    hasRequest: () => Atomics.load(flags, REQUESTED) === 1,
    standStill: async (ms) => {
      // After a turn's immediates come its timers, and only then the next turn's reads.
      await new Promise((resume) => setImmediate(resume));
      const until = performance.now() + ms;
      Atomics.store(flags, MAY_RESPOND, 1);
      Atomics.notify(flags, MAY_RESPOND);
      Atomics.wait(flags, RESPONDED, 0);
      Atomics.wait(flags, RESPONDED, 1, Math.max(0, until - performance.now()));
    },
    stop: () => thread.terminate(),
  };
}

/** @param response its body @returns code of an HTTP server for `startThreadServer`; its address is a port of 127.0.0.1 */
export function httpServerCode(response: string): string {
  return `const server = require('node:http').createServer((_request, response) =>
      requested((done) => response.end(${JSON.stringify(response)}, done)));
    server.listen(0, '127.0.0.1', () => listening(server.address().port));`;
}
