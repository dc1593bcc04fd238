import type { AddressInfo } from 'node:net';
import { createLogger, type Logger } from '@mgw/telemetry';
import fastify, { type FastifyInstance } from 'fastify';
import { Absence } from './absence';
import { Accounts } from './accounts/accounts';
import { CallbackQueue } from './callbacks/callback-queue';
import { StatusEngine } from './callbacks/status-engine';
import { controlRoutes } from './control/control.routes';
import { RequestLog } from './control/request-log';
import { Rules } from './control/rules';
import { GraphFailure } from './graph/graph-error';
import { graphRoutes } from './graph/graph.routes';
import { modelRoutes } from './model/model.routes';
import { Phones } from './control/phone';
import { Conversations } from './people/conversations';
import { People } from './people/people';
import { RefusedNumbers } from './people/refused-numbers';
import { seededRandom } from './random';

export interface SimulatorOptions {
  /** Where webhooks go. */
  callbackUrl: string;
  /** Of the first two accounts. */
  appSecret?: string;
  seed?: number;
  logger?: Logger;
}

/** What the routes share; everything is in memory and bounded. */
export interface Parts {
  accounts: Accounts;
  callbacks: CallbackQueue;
  engine: StatusEngine;
  conversations: Conversations;
  people: People;
  phones: Phones;
  rules: Rules;
  refused: RefusedNumbers;
  requests: RequestLog;
  /** Where webhooks go. */
  callbackUrl: string;
  random: () => number;
  /** Nobody can connect for so long, in milliseconds. */
  goAway(ms: number): void;
}

export interface Simulator extends Parts {
  readonly app: FastifyInstance;
  /** @returns its address, without a slash at the end */
  listen(port?: number, host?: string): Promise<{ url: string }>;
  close(): Promise<void>;
}

/** The WhatsApp Cloud API as platform.md describes it, for development and tests: nothing leaves this machine. */
export function createSimulator(options: SimulatorOptions): Simulator {
  const logger = options.logger ?? createLogger('platform-simulator', 'silent');
  const random = seededRandom(options.seed ?? 1);
  const accounts = new Accounts(options.appSecret ?? 'dev-app-secret-not-a-real-one');
  const callbacks = new CallbackQueue(options.callbackUrl, logger);
  const conversations = new Conversations();
  const people = new People(callbacks, conversations, random);
  const phones = new Phones();
  const engine = new StatusEngine(callbacks, random, people, phones);
  const app = fastify({ bodyLimit: 1024 * 1024, forceCloseConnections: true });
  const absence = new Absence(app);
  const parts: Parts = {
    accounts,
    callbacks,
    engine,
    random,
    conversations,
    people,
    phones,
    rules: new Rules(),
    refused: new RefusedNumbers(),
    requests: new RequestLog(),
    callbackUrl: options.callbackUrl,
    goAway: (ms) => absence.begin(ms),
  };
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const failure = error instanceof GraphFailure ? error : new GraphFailure(100, error.message, { status: error.statusCode ?? 500 });
    void reply.status(failure.status).headers(failure.headers).send(failure.body());
  });
  app.setNotFoundHandler(() => {
    throw new GraphFailure(100, 'Unsupported request: unknown path', { subcode: 33 });
  });
  controlRoutes(app, parts);
  modelRoutes(app);
  graphRoutes(app, parts);
  return {
    ...parts,
    app,
    listen: async (port = 0, host = '127.0.0.1') => {
      await app.listen({ port, host });
      return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` };
    },
    close: async () => {
      absence.end();
      engine.close();
      await callbacks.close();
      await app.close();
    },
  };
}
