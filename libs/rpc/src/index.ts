export { RpcClient } from './client';
export { Handles } from './handles';
export type { RpcContext } from './context';
export { RpcServer, type RpcServerOptions } from './server';
