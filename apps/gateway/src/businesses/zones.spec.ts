import { GatewayError, GetSendSettings, SendText } from '@mgw/contracts';
import request from 'supertest';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { BusinessesStore } from './businesses.store';
import { secondsToReset, zoneFields, zoneInForce } from './zones';

const dateIn = (timeZone: string, at: Date) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(at);

describe('decision 53: a new time zone takes effect at the next midnight of the old zone', () => {
  let dashboard: Dashboard;
  let businesses: BusinessesStore;
  beforeAll(async () => {
    dashboard = await startDashboard();
    businesses = dashboard.get(BusinessesStore);
  });
  afterAll(() => dashboard.close());

  const changed = async (id: number, timezone: string, at: string) => {
    await dashboard.db.transaction((tx) => businesses.change(tx, id, { timezone }, new Date(at)));
    const business = await businesses.find(id);
    if (!business) throw new Error('the business is gone');
    return business;
  };

  it.each([
    ['east', 'America/New_York', 'Asia/Kolkata', '2026-06-15T23:00:00Z', '2026-06-16T04:00:00.000Z', '2026-06-16T04:00:00.000Z'],
    ['west', 'Asia/Kolkata', 'America/New_York', '2026-06-15T10:00:00Z', '2026-06-15T18:30:00.000Z', '2026-06-16T04:00:00.000Z'],
    ['from a day of 23 hours', 'America/New_York', 'UTC', '2026-03-08T12:00:00Z', '2026-03-09T04:00:00.000Z', '2026-03-09T04:00:00.000Z'],
    ['from a day of 25 hours', 'America/New_York', 'UTC', '2026-11-01T12:00:00Z', '2026-11-02T05:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    [
      'into a day of 23 hours',
      'Asia/Kolkata',
      'America/New_York',
      '2026-03-08T10:00:00Z',
      '2026-03-08T18:30:00.000Z',
      '2026-03-09T04:00:00.000Z',
    ],
    [
      'into a day of 25 hours',
      'Asia/Kolkata',
      'America/New_York',
      '2026-11-01T10:00:00Z',
      '2026-11-01T18:30:00.000Z',
      '2026-11-02T05:00:00.000Z',
    ],
    [
      'across the date line',
      'Pacific/Kiritimati',
      'Etc/GMT+12',
      '2026-06-15T09:59:00Z',
      '2026-06-15T10:00:00.000Z',
      '2026-06-16T12:00:00.000Z',
    ],
  ])('%s: a change from %s to %s at %s', async (_name, old, next, at, from, resets) => {
    const business = await changed(await dashboard.business({ timezone: old }), next, at);
    expect(zoneFields(business, new Date(at))).toEqual({ timezone: next, timezone_now: old, timezone_from: from, cap_resets_at: resets });
    expect(zoneInForce(business, new Date(Date.parse(from) - 1))).toBe(old);
    expect(zoneInForce(business, new Date(from))).toBe(next);
    expect(zoneFields(business, new Date(from))).toEqual({ timezone: next });
    expect(business.cap_resets_at?.toISOString()).toBe(resets);
    expect(secondsToReset(business, new Date(at))).toBe((Date.parse(resets) - Date.parse(at)) / 1_000);
    expect(secondsToReset(business, new Date(from))).toBeNull();
    // A cap belongs to a date: the next date begins exactly at the reset.
    const today = dateIn(old, new Date(at));
    const dateAt = (time: number) => dateIn(zoneInForce(business, new Date(time)), new Date(time));
    for (let time = Date.parse(at); time < Date.parse(resets); time += 900_000) expect(dateAt(time) <= today).toBe(true);
    expect(dateAt(Date.parse(resets) - 1) <= today).toBe(true);
    expect(dateAt(Date.parse(resets)) > today).toBe(true);
  });

  it('a second change before that midnight replaces the first; the old zone cancels the change', async () => {
    const id = await dashboard.business({ timezone: 'Asia/Kolkata' });
    await changed(id, 'UTC', '2026-06-15T10:00:00Z');
    const second = await changed(id, 'Asia/Tokyo', '2026-06-15T11:00:00Z');
    expect(zoneFields(second, new Date('2026-06-15T12:00:00Z'))).toMatchObject({
      timezone: 'Asia/Tokyo',
      timezone_now: 'Asia/Kolkata',
      timezone_from: '2026-06-15T18:30:00.000Z',
    });
    const back = await changed(id, 'Asia/Kolkata', '2026-06-15T13:00:00Z');
    expect(back).toMatchObject({ timezone: 'Asia/Kolkata', previous_timezone: null, timezone_from: null, cap_resets_at: null });
  });

  it('sends count in the zone in force; settings and me show both zones; Retry-After is the reset of the cap', async () => {
    const { token, business_id } = await dashboard.apiKey();
    const owner = await dashboard.session('owner', business_id);
    dashboard.neighbours.respond(GetSendSettings, () => ({
      stop_words: [],
      start_words: [],
      otp_to_opted_out: false,
      mark_read_on_open: false,
    }));
    await owner.put('/api/client/settings', { timezone: 'Etc/GMT+12' }).expect(200);
    const pending = {
      timezone: 'Etc/GMT+12',
      timezone_now: 'Asia/Kolkata',
      timezone_from: expect.stringMatching(/T18:30:00.000Z$/) as string,
    };
    expect((await owner.get('/api/client/settings').expect(200)).body).toMatchObject(pending);
    expect((await owner.get('/api/client/me').expect(200)).body).toMatchObject({
      business: { ...pending, cap_resets_at: expect.stringMatching(/T12:00:00.000Z$/) as string },
    });
    const zones: string[] = [];
    dashboard.neighbours.respond(SendText, ({ sender }) => {
      zones.push(sender.timezone);
      throw new GatewayError('DAILY_LIMIT_REACHED', 'The daily limit of 1 messages is reached.', {
        ...{ daily_limit: 1, daily_used: 1, plan: 'Growth', retry_after: 'midnight', retry_after_seconds: 7 },
      });
    });
    const send = (server = dashboard.visitor.server) =>
      request(server).post('/api/v1/send-text').set('x-api-key', token).send({ phone: '+12015550100', message: 'Hi' });
    const refused = await send().expect(429);
    const found = await businesses.find(business_id);
    const left = ((found?.cap_resets_at?.getTime() ?? 0) - Date.now()) / 1_000;
    expect(Math.abs(Number(refused.headers['retry-after']) - left)).toBeLessThan(60);
    expect(refused.body).toMatchObject({ error_code: 'DAILY_LIMIT_REACHED', retry_after: 'midnight' });
    // Move the midnight into the past.
    await dashboard.db.query(`UPDATE access.businesses SET timezone_from = now() - interval '1 second' WHERE id = $1`, [business_id]);
    const replica = await dashboard.replica();
    expect((await send(replica.visitor.server).expect(429)).headers['retry-after']).toBe('7');
    await replica.close();
    expect(zones).toEqual(['Asia/Kolkata', 'Etc/GMT+12']);
  });
});
