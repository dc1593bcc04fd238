import { randomBytes } from 'node:crypto';
import type { INestMicroservice } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { GetConnection, type Permission, type Plan } from '@mgw/contracts';
import { migratedDatabase } from '@mgw/harness';
import { connectNats } from '@mgw/nats';
import { Database } from '@mgw/postgres';
import { RpcClient, RpcServer } from '@mgw/rpc';
import type { Sealer } from '@mgw/sealing';
import { createLogger, type Logger } from '@mgw/telemetry';
import { testNats, type TestDatabase } from '@mgw/testing';
import { ApiKeysStore } from '../src/api-keys/api-keys.store';
import { BusinessesStore, type BusinessFields } from '../src/businesses/businesses.store';
import { GatewayConfig } from '../src/gateway.config';
import { service as gateway } from '../src/main';
import type { Role } from '../src/sessions/session-user';
import { hashPassword } from '../src/users/passwords';
import { UsersStore } from '../src/users/users.store';
import { Browser } from './browser.fixture';
import { Door, type Runtime } from './door.fixture';
import { Neighbours } from './neighbours.fixture';

/** The password of every user in these tests. */
export const PASSWORD = 'correct horse battery';
/** The key ring of every gateway in these tests. */
export const SEALING_KEYS = `test:${randomBytes(32).toString('base64')}`;
const hashed = hashPassword(PASSWORD, 'fixture');
const NAMES = { owner: 'Owner', manager: 'Manager', agent: 'Agent', operator: 'Operator' };

type Servers = { database: TestDatabase; broker: Awaited<ReturnType<typeof testNats>> };
type Connection = Awaited<ReturnType<typeof connectNats>>;
interface Parts {
  runtime: Runtime;
  door: Door;
  neighbours: Neighbours;
  nc: Connection;
  stop(): Promise<void>;
}
export interface User {
  id: number;
  email: string;
}
export type Session = Browser & User & { token: string };

/** A gateway on its own database and broker, with replacements for the services behind it. */
export class Dashboard {
  readonly sealer: Sealer;
  readonly visitor: Browser;
  readonly neighbours: Neighbours;
  readonly db: Database;
  readonly rpc: RpcClient;
  readonly routes: readonly string[];
  private made = 0;

  constructor(
    private readonly parts: Parts,
    readonly databaseUrl: string,
  ) {
    const { runtime, door, neighbours } = parts;
    this.sealer = runtime.config.sealer;
    [this.visitor, this.routes] = [door.visitor, door.routes];
    [this.neighbours, this.db, this.rpc] = [neighbours, runtime.db, runtime.rpc];
  }

  get: Door['get'] = (type) => this.parts.door.get(type);
  withSession: Door['withSession'] = (token) => this.parts.door.withSession(token);
  replica = (settings: Partial<Pick<GatewayConfig, 'sealer'>> = {}): Promise<Door> => {
    const { config, ...others } = this.parts.runtime;
    return Door.open({ ...others, config: Object.assign(Object.create(config) as GatewayConfig, settings) });
  };
  close = (): Promise<void> => this.parts.stop();

  /** Resolves once the broker has every earlier subscription. */
  async flushed(): Promise<void> {
    await this.parts.nc.flush();
  }

  business(fields: Partial<BusinessFields> = {}): Promise<number> {
    const filled: BusinessFields = { name: 'Business', plan: 'Growth', timezone: 'Asia/Kolkata', ...fields };
    return this.db.transaction(async (tx) => (await this.get(BusinessesStore).add(tx, filled, null)).id);
  }

  /** Makes every business connected, with the token `EAAtoken`. Each call saves the connections again. */
  connect(): void {
    const sealed = new Map<number, string>();
    const tokenOf = (businessId: number) => {
      const token = sealed.get(businessId) ?? this.sealer.seal('EAAtoken', `connection.access_token:${businessId}`);
      sealed.set(businessId, token);
      return token;
    };
    this.neighbours.respond(GetConnection, ({ business_id }) => ({
      connection: {
        ...{ business_id, phone_number_id: '700', business_account_id: '800', app_secret_sealed: 'x', previous_app_secret_sealed: null },
        ...{ verify_token_sealed: 'x', status: 'connected' as const, checked_at: null, problem: null, restriction: null },
        access_token_sealed: tokenOf(business_id),
      },
    }));
  }

  /** Creates a key of a new business. @param limit requests per minute */
  async apiKey({
    plan = 'Growth',
    permissions = ['*'],
    limit = 1_000,
  }: { plan?: Plan; permissions?: Permission[]; limit?: number } = {}): Promise<{ id: number; token: string; business_id: number }> {
    const business_id = await this.business({ plan });
    const store = this.get(ApiKeysStore);
    return this.db.transaction(async (tx) => {
      const { id, token } = await store.add(tx, { business_id, name: 'CRM', permissions, expires_at: null });
      await store.changeLimits(tx, id, { per_minute_limit: limit });
      return { id, token, business_id };
    });
  }

  async user(role: Role, business_id: number | null): Promise<User> {
    const email = `${role}${(this.made += 1)}@business.example`;
    const password_hash = await hashed;
    const id = await this.db.transaction((tx) =>
      this.get(UsersStore).add(tx, { business_id, email, name: NAMES[role], role, password_hash, invited: false }),
    );
    if (id === null) throw new Error(`${email} is taken`);
    return { id, email };
  }

  /** Creates a user and logs in. */
  async session(role: Role, business_id: number | null): Promise<Session> {
    const user = await this.user(role, business_id);
    const response = await this.visitor.post('/api/client/login', { email: user.email, password: PASSWORD }).expect(200);
    const token = /token=([\w-]{43})/.exec(response.get('set-cookie')?.[0] ?? '')?.[1];
    if (token === undefined) throw new Error('no cookie came with the login');
    return Object.assign(this.withSession(token), user, { token });
  }
}

export async function startDashboard(
  settings: Partial<
    Pick<
      GatewayConfig,
      | 'graphBaseUrl'
      | 'oidcIssuer'
      | 'oidcClientId'
      | 'oidcClientSecret'
      | 'loginIpLimit'
      | 'maxConnections'
      | 'maxConnectionsPerAddress'
      | 'mediaStore'
      | 'publicUrl'
      | 'redisUrl'
      | 'smtpUrl'
      | 'trustedProxies'
    >
  > = {},
  logger: Logger = createLogger('gateway', 'silent'),
): Promise<Dashboard> {
  const servers: Servers = { database: await migratedDatabase(gateway), broker: await testNats() };
  const { url } = servers.database;
  const nc = await connectNats({ servers: [servers.broker.url], name: 'gateway', logger });
  const db = await Database.open({ url, schema: 'access', applicationName: 'gateway' });
  const runtime = { db, nc, rpc: new RpcClient(nc, logger), config: testConfig(servers, settings), logger };
  const door = await Door.open(runtime);
  const { neighbours, service } = await startNeighbours(nc, logger);
  const stop = async () => {
    await door.close();
    neighbours.release();
    await service.close();
    await nc.close();
    await db.close();
    await servers.broker.stop();
    await servers.database.drop();
  };
  return new Dashboard({ runtime, door, neighbours, nc, stop }, url);
}

function testConfig({ database, broker }: Servers, settings: object): GatewayConfig {
  const config = GatewayConfig.load({
    DATABASE_URL: database.url,
    NATS_URL: broker.url,
    REDIS_URL: 'redis://127.0.0.1:1',
    SEALING_KEYS,
    API_KEY_PEPPER: randomBytes(32).toString('base64'),
    LOGIN_IP_LIMIT: '1000',
    GATEWAY_DRAIN_MS: '0',
  });
  return Object.assign(config, settings);
}

async function startNeighbours(nc: Connection, logger: Logger): Promise<{ neighbours: Neighbours; service: INestMicroservice }> {
  const testing = await Test.createTestingModule({ controllers: [Neighbours] }).compile();
  const service = testing.createNestMicroservice({
    strategy: new RpcServer({ connection: nc, service: 'neighbours', concurrency: 100, readConcurrency: 100, logger }),
  });
  await service.listen();
  return { neighbours: testing.get(Neighbours), service };
}
