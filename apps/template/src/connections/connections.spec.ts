import { ConnectionChanged, ListConnections, PlatformAccountUpdate, ReportConnectionProblem, TemplatesChanged } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { startService } from '@mgw/service';
import { createLogger, metricsText } from '@mgw/telemetry';
import { eventually, logLines, oneByOne, sideBySide } from '@mgw/testing';
import { service } from '../main';
import { codeOf, startTemplate, type TemplateFixture } from '../template.fixture';

describe('connections (platform §3.3)', () => {
  const stop = ({ harness }: TemplateFixture) => harness.close();
  const test = sideBySide(startTemplate, stop);
  /** Tests that read the metrics of the process. */
  const testAlone = oneByOne(startTemplate, stop);

  test('guarantees §9: does not start without the key that sealed its secrets', async (fixture) => {
    await fixture.connect();
    const SEALING_KEYS = `other:${Buffer.alloc(32).toString('base64')}`;
    await expect(fixture.harness.run(service, { SEALING_KEYS })).rejects.toThrow('SEALING_KEYS');
    await fixture.harness.run(service);
  });

  test('guarantees §9: does not start without one of several keys that sealed its secrets', async (fixture) => {
    const { harness } = fixture;
    const old = harness.env['SEALING_KEYS'] ?? '';
    await fixture.connect(2);
    harness.env['SEALING_KEYS'] = `other:${Buffer.alloc(32).toString('base64')}`;
    await fixture.connect(1);
    await expect(harness.run(service)).rejects.toThrow('"test"');
    await harness.run(service, { SEALING_KEYS: `${old},${harness.env['SEALING_KEYS']}` });
  });

  test('decision 721: starts although all of its secrets are damaged', async (fixture) => {
    await fixture.connect();
    await fixture.harness.db.query(`UPDATE template.connections SET access_token_sealed = 'test.damaged',
      app_secret_sealed = 'test.damaged', verify_token_sealed = 'test.damaged'`);
    await fixture.harness.run(service);
  });

  for (const ring of ['test:', `new:${Buffer.alloc(32).toString('base64')},test:`])
    test(`decision 721: does not start with other bytes for a key: ${ring}`, async (fixture) => {
      await fixture.connect();
      const SEALING_KEYS = `${ring}${Buffer.alloc(32, 1).toString('base64')}`;
      await expect(fixture.harness.run(service, { SEALING_KEYS })).rejects.toThrow('"test" (template.connections.');
      await fixture.harness.run(service);
    });

  testAlone(
    'decision 721: starts with a damaged secret that a rotation left under the old key, and names it until it is saved again',
    async (fixture) => {
      const { harness, replicas } = fixture;
      const ofKey = async (key: string) =>
        Number(new RegExp(`^mgw_sealed_secrets\\{[^}]*key="${key}"[^}]*\\} (\\d+)`, 'm').exec((await metricsText()).text)?.[1] ?? 0);
      await fixture.connect(1);
      await fixture.connect(2);
      await harness.db.query(`UPDATE template.connections SET verify_token_sealed = 'test.damaged' WHERE business_id = 2`);
      for (const replica of replicas) await replica.stop();
      harness.env['SEALING_KEYS'] = `new:${Buffer.alloc(32).toString('base64')},${harness.env['SEALING_KEYS']}`;
      const first = await harness.run(service);
      await eventually(async () => (await ofKey('test')) === 1 && (await ofKey('new')) === 5);
      await first.stop();

      const logger = createLogger('template', 'info');
      const lines = logLines(logger);
      const second = await startService(service, harness.env, logger);
      harness.onClose(() => second.stop());
      await eventually(() => lines().some(({ secrets }) => secrets !== undefined));
      expect(lines()).toContainEqual(
        expect.objectContaining({ level: 'error', failed: 1, secrets: ['template.connections.verify_token_sealed, business_id 2'] }),
      );
      await fixture.connect(2);
      await eventually(async () => (await ofKey('test')) === 0 && (await ofKey('new')) === 6);
    },
  );

  test('decision 721: names the last of many secrets, which the current key sealed before it was damaged', async (fixture) => {
    const { harness, replicas } = fixture;
    for (let business = 1; business <= 120; business++) await fixture.connect(business);
    await harness.db.query(`UPDATE template.connections SET verify_token_sealed = 'test.damaged' WHERE business_id = 120`);
    for (const replica of replicas) await replica.stop();
    const logger = createLogger('template', 'info');
    const lines = logLines(logger);
    const restarted = await startService(service, harness.env, logger);
    harness.onClose(() => restarted.stop());
    const damaged = { failed: 1, secrets: ['template.connections.verify_token_sealed, business_id 120'] };
    await eventually(() => lines().some(({ msg }) => /stored secrets/.test(String(msg))));
    expect(lines()).toContainEqual(expect.objectContaining(damaged));
  });

  testAlone('decision 712: keeps the secrets of a connection when the sealing key is replaced', async (fixture) => {
    const { harness, replicas } = fixture;
    const sealed = (secret: string, name: string) => harness.sealer.seal(secret, `connection.${name}:1`);
    await fixture.connect(1, { app_secret_sealed: sealed('previous', 'app_secret') });
    await fixture.connect(1, { access_token_sealed: undefined, app_secret_sealed: sealed('current', 'app_secret') });
    for (const replica of replicas) await replica.stop();
    await harness.rotateKeys(service);
    await harness.run(service);
    const connection = await fixture.connection();
    const opened = (['access_token', 'app_secret', 'previous_app_secret', 'verify_token'] as const).map((name) =>
      harness.sealer.open(connection?.[`${name}_sealed`] ?? '', `connection.${name.replace('previous_', '')}:1`),
    );
    expect(opened).toEqual(['access_token 1', 'current', 'previous', 'verify_token 1']);
  });

  test('probes a connection and syncs its templates in the background, on one replica, with the unsealed token', async (fixture) => {
    const changed: number[] = [];
    fixture.harness.rpc.listen(TemplatesChanged, ({ business_id }) => void changed.push(business_id));
    await fixture.harness.nc.flush();
    expect((await fixture.connect()).connection).toMatchObject({ status: 'unchecked', checked_at: null });
    await eventually(async () => (await fixture.connection())?.status === 'connected');
    await fixture.synced();
    await eventually(() => changed.length === 1);
    expect(fixture.graph.requests.map(({ headers }) => headers.authorization)).toEqual(
      fixture.graph.requests.map(() => 'Bearer access_token 1'),
    );
    expect(fixture.graph.requests).toHaveLength(2);
  });

  test('needs every secret at first, keeps omitted ones later, and keeps the previous app secret for a day', async (fixture) => {
    expect(await codeOf(fixture.connect(1, { app_secret_sealed: undefined }))).toBe('VALIDATION_FAILED');
    await Promise.all([fixture.connect(), fixture.connect()]);
    const first = (await fixture.connect()).connection;
    const change = () =>
      fixture.connect(1, {
        access_token_sealed: undefined,
        app_secret_sealed: fixture.harness.sealer.seal('new', 'connection.app_secret:1'),
      });
    // A doubled change: both requests start before either of them is stored.
    const responses = await fixture.harness.db.transaction(
      async (tx) => {
        await tx.query('SELECT FROM template.connections FOR UPDATE');
        const both = [change(), change()];
        const waiting = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%app_secret_sealed%'`;
        await eventually(async () => (await fixture.harness.db.query(waiting)).length === 2);
        return both;
      },
      { mayPause: true },
    );
    // The response may have been lost, so the change is repeated.
    for (const { connection } of [...(await Promise.all(responses)), await change()]) {
      expect(connection).toMatchObject({
        access_token_sealed: first.access_token_sealed,
        previous_app_secret_sealed: first.app_secret_sealed,
      });
      expect(fixture.harness.sealer.open(connection.app_secret_sealed, 'connection.app_secret:1')).toBe('new');
    }
    await fixture.harness.db.query(`UPDATE template.connections SET app_secret_changed_at = now() - interval '25 hours'`);
    expect((await fixture.connection())?.previous_app_secret_sealed).toBeNull();
    const stored = () => fixture.harness.db.query('SELECT FROM template.connections WHERE previous_app_secret_sealed IS NOT NULL');
    await fixture.harness.db.query('UPDATE template.connections SET probe_at = now()');
    await eventually(async () => (await stored()).length === 0);
  });

  test('decision 720: replaces an app secret that does not open, and keeps the one before it for the rest of its day', async (fixture) => {
    const damage = () => fixture.harness.db.query(`UPDATE template.connections SET app_secret_sealed = 'test.damaged'`);
    const changed = async (secret: string) => {
      const app_secret_sealed = fixture.harness.sealer.seal(secret, 'connection.app_secret:1');
      const { connection } = await fixture.connect(1, { app_secret_sealed });
      expect(connection.app_secret_sealed).toBe(app_secret_sealed);
      return connection.previous_app_secret_sealed;
    };
    await fixture.connect();
    await damage();
    expect(await changed('first')).toBeNull();
    const first = await changed('second');
    expect(first).toEqual(expect.any(String));
    await damage();
    expect(await changed('third')).toBe(first);
  });

  test('decision 255: lets several businesses claim a number, and lists all connections in pages', async (fixture) => {
    await fixture.connect(1);
    await fixture.connect(2);
    expect((await fixture.connect(3, { phone_number_id: '701' })).connection).toMatchObject({
      phone_number_id: '701',
      status: 'unchecked',
    });
    const page = async (after_business_id: number) =>
      (await fixture.harness.rpc.call(ListConnections, { after_business_id })).connections.map(({ business_id }) => business_id);
    expect([await page(0), await page(1), await page(3)]).toEqual([[1, 2, 3], [2, 3], []]);
  });

  test('decision 255: lists when the platform first accepted the token for a number, until the number or a refused token changes', async (fixture) => {
    const verifiedAt = async () =>
      (await fixture.harness.rpc.call(ListConnections, { after_business_id: 0 })).connections[0]?.number_verified_at;
    const statusIs = (status: string) => eventually(async () => (await fixture.connection())?.status === status);
    fixture.platform.refusal = { status: 401, code: 190 };
    await fixture.connect();
    await statusIs('problem');
    expect(await verifiedAt()).toBeNull();
    fixture.platform.refusal = null;
    await fixture.connect();
    await statusIs('connected');
    const first = await verifiedAt();
    expect(first).toEqual(expect.any(String));

    await fixture.connect(1, { verify_token_sealed: 'new' });
    expect(await verifiedAt()).toBe(first);
    await statusIs('connected');
    fixture.platform.refusal = { status: 401, code: 190 };
    await fixture.connect();
    await statusIs('problem');
    expect(await verifiedAt()).toBe(first);
    await fixture.connect();
    expect(await verifiedAt()).toBeNull();
    fixture.platform.refusal = null;
    await fixture.connect();
    await statusIs('connected');
    fixture.platform.refusal = { status: 401, code: 190 };
    await fixture.connect(1, { phone_number_id: '799' });
    expect(await verifiedAt()).toBeNull();
  });

  test('platform §3.3: a refused token, a bad status or a reported problem disconnects and is announced', async (fixture) => {
    const announced: number[] = [];
    fixture.harness.rpc.listen(ConnectionChanged, ({ business_id }) => void announced.push(business_id));
    await fixture.harness.nc.flush();
    fixture.platform.refusal = { status: 401, code: 190 };
    await fixture.connect();
    await eventually(async () => (await fixture.connection())?.status === 'problem');
    expect((await fixture.connection())?.problem).toContain('190');
    await fixture.synced('failed');
    fixture.platform.refusal = null;
    fixture.platform.number = { id: '7', status: 'BANNED' };
    await fixture.connect();
    await eventually(async () => (await fixture.connection())?.problem === 'The number is BANNED.');
    fixture.platform.number = { id: '7', status: 'CONNECTED' };
    await fixture.connect();
    await eventually(async () => (await fixture.connection())?.status === 'connected');
    await fixture.harness.rpc.call(ReportConnectionProblem, { business_id: 1, platform_code: 190, problem: 'expired' });
    expect(await fixture.connection()).toMatchObject({ status: 'problem', problem: '190: expired' });
    await eventually(() => announced.length >= 6);
  });

  test('platform §3.3: announces a reported problem once until the connection works again', async (fixture) => {
    await fixture.connect();
    await eventually(async () => (await fixture.connection())?.status === 'connected');
    await Promise.all(fixture.replicas.map((replica) => replica.stop()));
    const replica = await fixture.harness.run(service);
    fixture.platform.refusal = { status: 401, code: 190 };
    const announced: number[] = [];
    fixture.harness.rpc.listen(ConnectionChanged, ({ business_id }) => void announced.push(business_id));
    await fixture.harness.nc.flush();
    const report = () => fixture.harness.rpc.call(ReportConnectionProblem, { business_id: 1, platform_code: 10, problem: 'no permission' });
    for (let i = 0; i < 3; i++) await report();
    await replica.stop();
    await fixture.harness.nc.flush();
    expect(announced).toEqual([1]);
  });

  const passing: [string, number, number][] = [
    ['a limit', 400, 4],
    ['a limit of the account', 429, 80007],
    ['an outage', 500, 2],
    ['a question that WhatsApp answers no more', 400, 100],
  ];
  for (const [name, status, code] of passing)
    test(`platform §3.3: keeps a working connection after ${name}`, async (fixture) => {
      await fixture.connect();
      await eventually(async () => (await fixture.connection())?.status === 'connected');
      await fixture.synced();
      const { requests } = fixture.graph;
      const probes = () => requests.filter(({ path }) => path.includes('/701?')).length;
      const probe = async () => {
        const before = probes();
        await fixture.harness.db.query('UPDATE template.connections SET probe_at = now()');
        await eventually(() => probes() > before);
      };
      fixture.platform.refusal = { status, code };
      await probe();
      fixture.platform.refusal = { status: 401, code: 190 };
      expect((await fixture.connection())?.status).toBe('connected');
      await probe();
      await eventually(async () => (await fixture.connection())?.status === 'problem');
    });

  test('platform §3.3: drops a probe’s result if the connection changed meanwhile', async (fixture) => {
    fixture.platform.refusal = { status: 401, code: 190 };
    fixture.platform.heldPath = '/701?';
    await fixture.connect();
    await fixture.held();
    fixture.platform.refusal = null;
    await fixture.connect(1, { phone_number_id: '702' });
    await eventually(async () => (await fixture.connection())?.status === 'connected');
    await fixture.sendHeld();
    // Stopping waits for running probes.
    await Promise.all(fixture.replicas.map((replica) => replica.stop()));
    expect(await fixture.harness.db.query('SELECT status, problem FROM template.connections')).toEqual([
      { status: 'connected', problem: null },
    ]);
  });

  test('platform §3.3, §4.6: drops the result of a probe that started before a ban', async (fixture) => {
    fixture.platform.heldPath = '/701?';
    await fixture.connect();
    await fixture.held();
    const data = { business_account_id: '801', event: 'DISABLED_UPDATE', raw: { ban_info: { waba_ban_state: 'DISABLE' } } };
    await fixture.harness.publish(
      newEvent(PlatformAccountUpdate, { id: 'b1', at: new Date().toISOString(), business_id: 1, key: 'a', data }),
    );
    await eventually(async () => (await fixture.connection())?.status === 'problem');
    await fixture.sendHeld();
    await Promise.all(fixture.replicas.map((replica) => replica.stop()));
    expect(await fixture.harness.db.query('SELECT status FROM template.connections')).toEqual([{ status: 'problem' }]);
  });

  const secondsIn = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;
  const restrict = ({ harness }: TemplateFixture, restriction_info: ({ restriction_type: string; expiration?: number } | null)[]) => {
    const data = { business_account_id: '801', event: 'ACCOUNT_RESTRICTION', raw: { restriction_info } };
    return harness.publish(newEvent(PlatformAccountUpdate, { id: 'a1', at: new Date().toISOString(), business_id: 1, key: 'a', data }));
  };

  test('platform §4.6: ends each restriction at its own time, and never one without an end', async (fixture) => {
    await fixture.connect();
    await restrict(fixture, [
      null,
      { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING' },
      { restriction_type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION', expiration: secondsIn(-60) },
    ]);
    const restriction = await eventually(async () => (await fixture.connection())?.restriction);
    expect(restriction).toEqual({ kinds: ['RESTRICTED_BIZ_INITIATED_MESSAGING'], until: null });
  });

  test('platform §4.6: shows active restrictions with the end of the last one', async (fixture) => {
    await fixture.connect();
    const later = secondsIn(7_200);
    await restrict(fixture, [
      { restriction_type: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING', expiration: secondsIn(3_600) },
      { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: later },
      { restriction_type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION', expiration: secondsIn(-60) },
    ]);
    const restriction = await eventually(async () => (await fixture.connection())?.restriction);
    expect(restriction.until).toBe(new Date(later * 1_000).toISOString());
    expect(restriction.kinds.toSorted()).toEqual(['RESTRICTED_BIZ_INITIATED_MESSAGING', 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING']);
  });

  test('platform §4.6, decision 19: keeps a restriction with a new number, and drops it with another account', async (fixture) => {
    await fixture.connect();
    await restrict(fixture, [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING' }]);
    const restriction = await eventually(async () => (await fixture.connection())?.restriction);
    expect((await fixture.connect(1, { phone_number_id: '702' })).connection.restriction).toEqual(restriction);
    expect((await fixture.connect(1, { business_account_id: '802' })).connection.restriction).toBeNull();
    expect((await fixture.connection())?.restriction).toBeNull();
  });
});
