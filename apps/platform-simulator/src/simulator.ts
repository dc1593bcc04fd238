import type { AddressInfo } from 'node:net';
import { createLogger, type Logger } from '@mgw/telemetry';
import fastify, { type FastifyInstance } from 'fastify';
import { Accounts } from './accounts/accounts';
import { CallbackQueue } from './callbacks/callback-queue';
import { StatusBatches } from './statuses/status-batches';
import { StatusEngine } from './statuses/status-engine';
import { Clock } from './clock';
import { controlRoutes } from './control/control.routes';
import { StateFile } from './control/state-file';
import { Load } from './people/load';
import { OneTimeCodes } from './records/one-time-codes';
import { Phones } from './records/phones';
import { RequestLog } from './records/request-log';
import { Rules } from './faults/rules';
import { GraphFailure } from './graph-error';
import { graphRoutes } from './graph/graph.routes';
import { SentMessages } from './records/sent-messages';
import { Limits } from './limits/limits';
import { Profile } from './profile/profile';
import { MediaStore } from './media/media-store';
import { modelRoutes } from './model/model.routes';
import { Conversations } from './people/conversations';
import { Identities } from './people/identities';
import { People } from './people/people';
import { RefusedNumbers } from './faults/refused-numbers';
import { bytes, SeededRandom } from './random';
import type { SimulatorParts } from './simulator-parts';

/** Closes the port for a while, so that neither integrations nor the control plane can connect. */
class Outage {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly app: FastifyInstance) {}

  /** @param ms duration; ignored while an outage lasts */
  start(ms: number): void {
    if (this.timer) return;
    const { server } = this.app;
    const { port, address } = server.address() as AddressInfo;
    server.close();
    this.timer = setTimeout(() => {
      this.timer = undefined;
      server.listen(port, address);
    }, ms);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

export interface SimulatorOptions {
  /** Receives the callbacks. */
  callbackUrl: string;
  /** The callback's address in the responses, if it differs. */
  shownCallbackUrl?: string;
  /** The secret of the first two accounts. */
  appSecret?: string;
  /** Sent at the handshake. */
  verifyToken?: string;
  /** The control plane requires it unless it is empty. */
  controlToken?: string;
  /** Callbacks that are posted concurrently. */
  callbackConcurrency?: number;
  seed?: number;
  /** Keeps the state over restarts; empty for memory only. */
  stateFile?: string;
  logger?: Logger;
}

export interface Simulator extends SimulatorParts {
  readonly app: FastifyInstance;
  /** @returns the base URL without a trailing slash */
  listen(port?: number, host?: string): Promise<{ url: string }>;
  close(): Promise<void>;
}

/** The WhatsApp Cloud API as docs/platform.md describes it, for development and tests. Nothing leaves this machine. */
export function createSimulator(options: SimulatorOptions): Simulator {
  const logger = options.logger ?? createLogger('platform-simulator', 'silent');
  const app = fastify({ bodyLimit: 1024 * 1024, forceCloseConnections: true });
  const outage = new Outage(app);
  const parts: SimulatorParts = {
    ...assemble(options, logger),
    keepsState: Boolean(options.stateFile),
    startOutage: (ms) => outage.start(ms),
  };
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const failure = error instanceof GraphFailure ? error : new GraphFailure(100, error.message, { status: error.statusCode ?? 500 });
    const traceId = `A${bytes(11, parts.random).toString('base64url')}`;
    if (failure.status >= 500 && !(error instanceof GraphFailure)) logger.error({ err: error }, 'a request failed');
    void reply
      .status(failure.status)
      .headers({ 'x-fb-trace-id': traceId, ...failure.headers })
      .send(failure.body(traceId));
  });
  app.setNotFoundHandler(() => {
    throw new GraphFailure(100, 'Unsupported request: unknown path', { subcode: 33 });
  });
  const state = options.stateFile ? new StateFile(options.stateFile, parts, logger) : undefined;
  state?.load();
  app.addHook('onResponse', async ({ method }) => {
    if (method !== 'GET') state?.changed();
  });
  controlRoutes(app, parts);
  modelRoutes(app);
  graphRoutes(app, parts);
  return {
    ...parts,
    app,
    listen: async (port = 0, host = '127.0.0.1') => {
      await app.listen({ port, host });
      state?.start();
      return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` };
    },
    close: async () => {
      outage.end();
      parts.load.stop();
      // Accept nothing after the state is taken.
      await app.close();
      await state?.close();
      parts.engine.clear();
      parts.batches.flush();
      await parts.callbacks.close();
    },
  };
}

function assemble(options: SimulatorOptions, logger: Logger): Omit<SimulatorParts, 'startOutage' | 'keepsState'> {
  const { callbackUrl, verifyToken = 'dev-verify-token', controlToken = '' } = options;
  const seeded = new SeededRandom(options.seed ?? 1);
  const random = seeded.next;
  const clock = new Clock();
  const profile = new Profile();
  const limits = new Limits(profile, clock);
  const accounts = new Accounts(options.appSecret ?? 'dev-app-secret-not-a-real-one');
  const callbacks = new CallbackQueue(callbackUrl, options.callbackConcurrency ?? 16, logger);
  const batches = new StatusBatches(callbacks, profile);
  const conversations = new Conversations(clock);
  const phones = new Phones();
  const sent = new SentMessages();
  const identities = new Identities();
  const people = new People(callbacks, identities, conversations, phones, limits, clock, random);
  const engine = new StatusEngine({ accounts, callbacks, batches, random, people, identities, phones, clock, logger });
  return {
    accounts,
    callbacks,
    batches,
    engine,
    conversations,
    people,
    identities,
    phones,
    sent,
    codes: new OneTimeCodes(),
    media: new MediaStore(clock, random),
    rules: new Rules(identities),
    refused: new RefusedNumbers(),
    requests: new RequestLog(),
    profile,
    limits,
    load: new Load({ accounts, callbacks, people, sent, clock, random }),
    clock,
    callbackUrl,
    shownCallbackUrl: options.shownCallbackUrl || callbackUrl,
    verifyToken,
    controlToken,
    seeded,
    random,
  };
}
