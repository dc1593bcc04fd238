export { RpcClient } from './client';
export { Handles, type Handler } from './handles';
export type { RpcContext } from './context';
export { LocalHandlers } from './local-handlers';
export { RpcServer } from './server';
