/** Calls `judge` once the bytes that wait have been read: a busy process reads late what arrived in time. */
export function afterReading(judge: () => void): void {
  // Node.js runs timers, then reads from sockets, then runs immediates.
  setImmediate(judge);
}
