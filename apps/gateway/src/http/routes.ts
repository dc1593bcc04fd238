import type { FastifyInstance } from 'fastify';

interface Route {
  method: string;
  path: RegExp;
}

/** The methods of each path, for 405 instead of 404 (decision 4). Collects the routes that are added after it. */
export class KnownRoutes {
  private readonly routes: Route[] = [];

  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ method, url }) => {
      const path = new RegExp(
        `^${url
          .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
          .replace(/:\w+/g, '[^/]+')
          .replace(/\*/g, '.+')}$`,
      );
      for (const one of [method].flat()) this.routes.push({ method: one, path });
    });
  }

  /** @param url may have a query */
  methodsOf(url: string): string[] {
    const path = url.split('?')[0] ?? '';
    return [...new Set(this.routes.filter((route) => route.path.test(path)).map(({ method }) => method))];
  }
}
