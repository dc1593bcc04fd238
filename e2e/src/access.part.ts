import { Redis } from 'ioredis';
import { connect, type NatsConnection, type Status } from 'nats';
import { Client } from 'pg';
import { eventually } from '@mgw/testing';
import { ACCESS } from './access-table.fixture';
import { sharedStack, type SharedStack } from './stack';

/** PostgreSQL role and schema of each service. */
const SCHEMAS = {
  gateway: 'access',
  send: 'send',
  template: 'template',
  status: 'status',
  'platform-webhook-ingest': 'ingest',
  'outbound-webhook-dispatcher': 'dispatch',
  broadcast: 'broadcast',
  'auto-reply': 'auto_reply',
};
const APPS = Object.entries(SCHEMAS);

describe('each service has its own server users with minimal rights (guarantees §9)', () => {
  let stack: SharedStack;
  const portOf = (server: string) => stack.processes(server)[0]?.port as number;

  beforeAll(async () => {
    stack = await sharedStack();
  }, 150_000);

  describe('PostgreSQL', () => {
    const as = async (user: string, password: string) => {
      const client = new Client({ host: '127.0.0.1', port: portOf('PostgreSQL'), database: 'postgres', user, password });
      await client.connect();
      return client;
    };

    it.each(APPS)('%s reads and writes only its own schema and creates nothing outside it', async (app, schema) => {
      const client = await as(schema, stack.passwords.postgres[app] as string);
      const codeOf = (sql: string) =>
        client.query(sql).then(
          () => 'allowed',
          ({ code }: { code: string }) => code,
        );
      expect(await codeOf(`SELECT * FROM ${schema}.migrations`)).toBe('allowed');
      const others = APPS.filter(([, other]) => other !== schema);
      for (const [, other] of others) expect([other, await codeOf(`SELECT * FROM ${other}.migrations`)]).toEqual([other, '42501']);
      const outside = ['CREATE TABLE public.x ()', 'CREATE TEMPORARY TABLE x ()', 'CREATE SCHEMA x', 'CREATE ROLE x', 'CREATE DATABASE x'];
      for (const sql of outside) expect([sql, await codeOf(sql)]).toEqual([sql, '42501']);
      await client.end();
    });

    it('refuses the password of another role', async () => {
      await expect(as('send', stack.passwords.postgres['template'] as string)).rejects.toMatchObject({ code: '28P01' });
    });
  });

  describe('NATS', () => {
    const open: NatsConnection[] = [];
    const as = async (user: string, pass = stack.passwords.nats[user]) => {
      const connection = await connect({
        servers: `127.0.0.1:${portOf('NATS')}`,
        ...(pass && { user, pass, inboxPrefix: `_INBOX.${user}` }),
      });
      open.push(connection);
      return connection;
    };
    afterEach(() => Promise.all(open.splice(0).map((connection) => connection.close())));

    /** The refusals of the server, in the order of the attempts. */
    const refusals = (connection: NatsConnection) => {
      const refused: string[] = [];
      const listen = async () => {
        for await (const { permissionContext } of connection.status() as AsyncIterable<Status>)
          if (permissionContext) refused.push(`${permissionContext.operation} ${permissionContext.subject}`);
      };
      void listen();
      return refused;
    };

    it('refuses connections without a user or with a wrong password', async () => {
      await expect(as('')).rejects.toMatchObject({ code: 'AUTHORIZATION_VIOLATION' });
      await expect(as('send', stack.passwords.nats['template'])).rejects.toMatchObject({ code: 'AUTHORIZATION_VIOLATION' });
    });

    it.each(APPS)('%s reads no requests and responses of others, and events only through its consumers', async (app) => {
      const connection = await as(app);
      const refused = refusals(connection);
      const others = APPS.filter(([other]) => other !== app);
      const foreign = ['>', '_INBOX.>', 'rpc.>', 'announce.>', 'public.>', 'platform.>', '$JS.API.>', '$JS.ACK.>'];
      const subjects = [...foreign, ...others.flatMap(([other]) => [`_INBOX.${other}.>`, `rpc.${other}.>`])];
      for (const subject of subjects) connection.subscribe(subject, { callback: () => undefined });
      await eventually(() => refused.length === subjects.length);
      expect(refused).toEqual(subjects.map((subject) => `subscription ${subject}`));
    });

    const publishesEvents = (app: string) => ACCESS.SERVICES[app]?.publishes.some((subject) => subject.startsWith('public.'));
    const UNASKED = ['_INBOX.gateway.x', '$JS.ACK.SENDING.others.1.1.1.1.1', 'announce.x'];
    const STORE = [
      ...['STREAM.DELETE.PUBLIC', 'STREAM.UPDATE.PUBLIC', 'STREAM.CREATE.spy', 'STREAM.MSG.GET.PUBLIC', 'STREAM.MSG.DELETE.PUBLIC'],
      ...['CONSUMER.CREATE.PUBLIC.spy', 'CONSUMER.DURABLE.CREATE.PUBLIC.spy', 'CONSUMER.DELETE.PUBLIC.outbound-webhook-dispatcher'],
    ].map((request) => `$JS.API.${request}`);
    it.each<[string, string[]]>([
      ['gateway', ['public.message.sent', 'rpc.template.list-connections', '$JS.API.STREAM.PURGE.PUBLIC', 'announce.connection-changed']],
      ['send', ['platform.message', 'public.broadcast.completed', 'rpc.template.set-connection', 'rpc.send.text', 'announce.key-changed']],
      [
        'template',
        ['changes.x', 'platform.template', 'rpc.send.text', '$JS.API.CONSUMER.CREATE.PLATFORM.template-updates.platform.message'],
      ],
      ['status', ['public.message.sent', 'rpc.send.text', '$JS.API.CONSUMER.MSG.NEXT.PUBLIC.outbound-webhook-dispatcher']],
      ['platform-webhook-ingest', ['public.message.sent', 'rpc.template.get-connection', '$JS.API.CONSUMER.CREATE.PLATFORM']],
      ['outbound-webhook-dispatcher', ['public.message.sent', 'rpc.send.text', 'announce.key-changed', '$JS.API.STREAM.PURGE.PLATFORM']],
      ['broadcast', ['public.message.sent', 'rpc.send.text', 'rpc.template.get-connection', 'sending.message.not-sent']],
      ['auto-reply', ['public.message.sent', 'rpc.send.template', 'rpc.template.find', '$JS.API.CONSUMER.CREATE.PUBLIC.auto-reply']],
    ])('%s publishes no events of others, calls only what it needs, and changes no stream', async (app, more) => {
      const connection = await as(app);
      const refused = refusals(connection);
      // A publisher reads how far a full stream may be purged, and deletes the events of an erased person.
      const store = publishesEvents(app) ? STORE.filter((subject) => !subject.includes('STREAM.MSG.')) : STORE;
      const subjects = [...more, ...UNASKED, ...store];
      for (const subject of subjects) connection.publish(subject, '{}');
      await eventually(() => refused.length === subjects.length);
      expect(refused).toEqual(subjects.map((subject) => `publish ${subject}`));
    });

    it.each(APPS)('decision 218: %s responds to its callers, and not for another service', async (app) => {
      const connection = await as(app);
      const refused = refusals(connection);
      const inboxes = APPS.flatMap(([caller]) =>
        APPS.map(([service]) => ({ caller, service, subject: `_INBOX.${caller}.x.${service}.1-1` })),
      );
      for (const { subject } of inboxes) connection.publish(subject, '{}');
      const foreign = inboxes.filter(({ caller, service }) => service !== app || ACCESS.SERVICES[caller]?.calls[app] === undefined);
      await eventually(() => refused.length === foreign.length);
      expect(refused).toEqual(foreign.map(({ subject }) => `publish ${subject}`));
    });

    const CONSUMERS = Object.entries(ACCESS.SERVICES).flatMap(([app, { consumes }]) =>
      Object.entries(consumes).map(([durable, subject]) => [app, `${subject.split('.')[0]?.toUpperCase()}.${durable}`]),
    );
    it.each(CONSUMERS)('%s acknowledges messages of its consumer %s after heartbeats and on a later connection', async (app, consumer) => {
      const connection = await as(app as string);
      const refused = refusals(connection);
      const [own, other] = [`$JS.ACK.${consumer}.1.1.1.1.1`, '$JS.ACK.PUBLIC.another-consumer.1.1.1.1.1'];
      for (const payload of ['+WPI', '+WPI', '+ACK']) connection.publish(own, payload);
      connection.publish(`$JS.ACK.hub.account.${consumer}.1.1.1.1.1`, '+ACK');
      connection.publish(other, '+ACK');
      await eventually(() => refused.length > 0);
      expect(refused).toEqual([`publish ${other}`]);
    });
  });

  describe('Redis', () => {
    const as = (username: string, password: string) =>
      new Redis({ host: '127.0.0.1', port: portOf('Redis'), username, password, lazyConnect: true, retryStrategy: () => null });

    it('lets the gateway count its limits and nothing else', async () => {
      const redis = as('gateway', stack.passwords.redis['gateway'] as string);
      await redis.connect();
      expect(await redis.zcard('{limits}:global')).toEqual(expect.any(Number));
      const refused: [string, ...string[]][] = [
        ['FLUSHALL'],
        ['CONFIG', 'GET', '*'],
        ['KEYS', '*'],
        ['ACL', 'LIST'],
        ['DEL', '{limits}:global'],
        ['ZCARD', 'other'],
      ];
      for (const [command, ...args] of refused)
        await expect(redis.call(command, ...args)).rejects.toMatchObject({ message: expect.stringMatching(/^NOPERM/) as string });
      redis.disconnect();
    });

    it('refuses commands without a password', async () => {
      const redis = new Redis({ host: '127.0.0.1', port: portOf('Redis'), lazyConnect: true, enableReadyCheck: false });
      await redis.connect();
      expect(await redis.ping()).toBe('PONG');
      for (const command of ['INFO', 'FLUSHALL', 'DBSIZE'])
        await expect(redis.call(command)).rejects.toMatchObject({ message: expect.stringMatching(/^NOPERM/) as string });
      redis.disconnect();
    });
  });
});
