// Preloaded into processes that a test starts: ends one when its standard input closes, which the death of the test does too.
process.stdin
  .once('end', () => process.kill(process.pid, 'SIGKILL'))
  .resume()
  .unref();
