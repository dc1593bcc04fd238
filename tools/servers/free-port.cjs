// CommonJS, so that both the start (modules) and the tests (jest) can load it.
const { createSocket } = require('node:dgram');
const { createServer } = require('node:net');

/** Below the range from which the system takes the ports of outgoing connections: one of those could take it before its use. */
const FROM = 12_000;
const COUNT = 20_000;
/** Held until this process ends. */
const claims = new Set();

/** Whether nobody listens on the loopback port now. */
function isFree(port) {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/**
 * The UDP port of the same number, which nothing here uses, stands for the claim: the system gives it to one process only
 * and takes it back when that process ends, however it ends.
 */
function claim(port) {
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.unref();
      claims.add(socket);
      resolve(true);
    });
  });
}

/**
 * A loopback port that nobody uses, and that no other call of this gets, in this or another process, before this process ends:
 * between the answer and the use may lie many seconds in which others ask too.
 * @param {{from?: number, count?: number}} range
 * @returns {Promise<number>}
 */
async function freePort({ from = FROM, count = COUNT } = {}) {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const port = from + Math.floor(Math.random() * count);
    if ((await claim(port)) && (await isFree(port))) return port;
  }
  throw new Error(`no free port from ${from} to ${from + count - 1}`);
}

module.exports = { freePort };
