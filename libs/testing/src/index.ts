export { eventually } from './eventually';
export { startReceiver, type ReceivedRequest, type Receiver } from './receiver';
export { runToEnd, spawnNode, type NodeChild } from './child';
export {
  freePort,
  startServers,
  templateDatabase,
  testDatabase,
  testNats,
  testPostgres,
  testRedis,
  type ServerUrls,
  type TestDatabase,
} from './servers';
export { newContext, startBrowser } from './browser';
export { installedProgram } from './programs';
export { PLATFORM_ERRORS, type PlatformErrorRow } from './platform-errors';
export { startRawReceiver, type RawReceiver } from './raw-receiver';
export { startNameServer, type NameServer } from './name-server';
export { watchDials } from './dials';
export { withPort, SSRF_CASES } from './ssrf-cases';
export { selfSigned, testAuthority, type TestCertificate } from './certificates';
export { logLines } from './log-lines';
export { oneByOne, sideBySide } from './side-by-side';
export { memoryOf } from './memory';
export { httpServerCode, startThreadServer } from './thread-server';
