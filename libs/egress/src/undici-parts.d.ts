// The parts of undici in use. The package as a whole also loads fetch, WebSocket and caches, which take 3 MB of memory in each service.
declare module 'undici/lib/api/api-request' {
  import type { Dispatcher } from 'undici';
  /** The method of a dispatcher, which only the whole package adds to it. */
  function request<Opaque>(this: Dispatcher, options: Dispatcher.RequestOptions<Opaque>): Promise<Dispatcher.ResponseData<Opaque>>;
  export = request;
}
declare module 'undici/lib/core/connect' {
  import { buildConnector } from 'undici';
  export = buildConnector;
}
declare module 'undici/lib/dispatcher/client' {
  import { Client } from 'undici';
  export = Client;
}
declare module 'undici/lib/dispatcher/pool' {
  import { Pool } from 'undici';
  export = Pool;
}
