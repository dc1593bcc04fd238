import { type GatewayError, GetSuppression, ListLabels, PrepareErasure, SetSuppression } from '@mgw/contracts';
import { eraseFrom, inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

const OPTED_OUT = '919876500001';
const OTHER = '919876500002';

describe('the keys of erasures', () => {
  let sending: Sending;
  beforeEach(async () => (sending = await startSending()));
  afterEach(() => sending.harness.close());

  const prepare = (business_id: number, phone: string) => sending.harness.rpc.call(PrepareErasure, { business_id, phone });
  const template = (business_id: number, to: string) => sending.template({ business_id }, { to });
  const optOut = (phone: string) => sending.harness.rpc.call(SetSuppression, { business_id: 1, phone, state: 'opted_out', reason: null });
  const keyOf = async (businessId: number) =>
    (
      await sending.harness.db.query<{ key_sealed: string }>('SELECT key_sealed FROM send.erasure_keys WHERE business_id = $1', [
        businessId,
      ])
    )[0]?.key_sealed ?? '';
  const setKey = (businessId: number, sealed: string) =>
    sending.harness.db.query('UPDATE send.erasure_keys SET key_sealed = $2 WHERE business_id = $1', [businessId, sealed]);
  const inbound = (businessId: number, phone: string) =>
    inboundEvent({ message_id: `wamid.${businessId}.${phone}`, from: { phone, user_id: null, name: 'Asha' } }, businessId);

  it('decision 722: a damaged one stops neither the sends of others nor anybody’s messages, and no opted-out person is written to', async () => {
    const { harness } = sending;
    const first = await sending.run();
    for (const business of [1, 2]) await prepare(business, OTHER);
    expect(await template(1, OPTED_OUT)).toMatchObject({ phone: OPTED_OUT });
    await optOut(OPTED_OUT);
    const person = { business_id: 1, ...(await prepare(1, OPTED_OUT)) };
    await harness.db.query(`UPDATE send.erasure_keys SET created_at = now() - interval '1 minute'`);
    await eraseFrom(harness.rpc, 'send', person);
    const good = await keyOf(1);
    await first.stop();
    await setKey(1, `${good.slice(0, -8)}AAAAAAAA`);
    await sending.run();

    const results = await Promise.all([template(1, OPTED_OUT), template(2, OTHER), template(1, OTHER)]);
    const refused = { error_code: 'OVERLOADED', message: expect.stringContaining('opt-outs of erased people cannot be checked') };
    expect(results).toMatchObject([refused, { phone: OTHER }, refused]);
    await expect(harness.rpc.call(GetSuppression, { business_id: 1, phone: OPTED_OUT })).rejects.toMatchObject(refused);

    await harness.publish(inbound(1, OPTED_OUT), inbound(1, OTHER), inbound(2, OTHER));
    await eventually(async () => (await harness.published('message.received')).length === 3);
    await optOut(OTHER);

    // The key of another business does not open either.
    await setKey(1, await keyOf(2));
    await expect(prepare(1, OTHER)).rejects.toMatchObject({ error_code: 'INTERNAL' });
    await setKey(1, good);
    await eventually(async () => ((await template(1, OPTED_OUT)) as { error_code?: string }).error_code === 'RECIPIENT_SUPPRESSED');
    expect(await template(1, OTHER)).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED' });

    // The refused sends stored nothing.
    expect(await sending.states()).toEqual(['accepted', 'accepted']);
    expect(await harness.published('message.not-sent')).toEqual([]);
  });

  it('decision 755: their read waits for no reads of the dashboard, which four businesses may use up', async () => {
    const { harness } = sending;
    await sending.run();
    await harness.db.transaction(
      async (tx) => {
        await tx.query('LOCK TABLE send.labels IN ACCESS EXCLUSIVE MODE');
        const lists = [11, 12, 13, 14].flatMap((business_id) =>
          [1, 2].map(() => harness.rpc.call(ListLabels, { business_id }).catch((error: GatewayError) => error.error_code)),
        );
        const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        const locked = async () => (await harness.db.query(waits)).length;
        await eventually(async () => (await locked()) === 4);
        expect(await template(1, OTHER)).toMatchObject({ message_id: expect.any(String) });
        await Promise.all(lists);
      },
      { mayPause: true },
    );
  });

  it('decision 755: their read needs none of the connections that the transactions hold which wait for it', async () => {
    await sending.run();
    const phones = Array.from({ length: 30 }, (_, i) => String(919876500100 + i));
    expect(await Promise.all(phones.map(optOut))).toEqual(phones.map(() => ({})));
  });
});
