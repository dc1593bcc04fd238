// CommonJS, because both ES modules and jest load it.
const { createSocket } = require('node:dgram');
const { createServer } = require('node:net');

/** Below the range of outgoing connections, one of which could take the port before its use. */
const FROM = 12_000;
const COUNT = 20_000;
/** Sockets that claim ports until this process ends. */
const claims = new Set();

/** Whether the loopback port is free now. */
function isFree(port) {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/**
 * Claims a port by binding the UDP port of the same number: the system gives it to one process only, and releases it when the
 * process ends.
 */
function claim(port) {
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    socket.once('error', () => socket.close(() => resolve(false)));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.unref();
      claims.add(socket);
      resolve(true);
    });
  });
}

/**
 * Finds a free loopback port that no other call returns, in any process, before this process ends: seconds may pass before the
 * port is in use.
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
