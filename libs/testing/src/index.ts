export { eventually } from './eventually';
export { startReceiver, type ReceivedRequest, type Receiver } from './receiver';
export { spawnNode, type NodeChild } from './child';
export { freePort, startServers, testDatabase, testNats, testPostgres, testRedis, type ServerUrls } from './servers';
export { startBrowser } from './browser';
export { PLATFORM_ERRORS, type PlatformErrorRow } from './platform-errors';
