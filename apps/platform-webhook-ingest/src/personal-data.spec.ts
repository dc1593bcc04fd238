import { eraseFrom, FORMER_OWNER, OWNER, PASSED, startHarness } from '@mgw/harness';
import { service } from './main';

it('decision 704: an erasure empties the callbacks that name the person, by a number only while the person had it', async () => {
  const harness = await startHarness(service);
  await harness.run(service);
  const time = (days: number) => new Date(Date.parse(PASSED.at) + days * 86_400_000).toISOString();
  const callbacks: [string, object, string, number][] = [
    ['former', { from: PASSED.number }, time(-2), 1],
    ['former, with a user id', { from: PASSED.number, from_user_id: 'IN.1' }, time(-1), 1],
    ['present', { from: PASSED.number, from_user_id: 'IN.2' }, time(1), 1],
    ['present, before the number of the business was connected', { from: PASSED.number, from_user_id: 'IN.2' }, time(1), 0],
  ];
  for (const [name, from, at, lane] of callbacks)
    await harness.db.query(
      `INSERT INTO ingest.callbacks (body_hash, body, businesses, lane, received_at, split_at)
       VALUES (convert_to($1, 'UTF8'), convert_to($2, 'UTF8'), '{1}', $4, $3, now())`,
      [name, JSON.stringify({ ...from, text: name }), at, lane],
    );
  const left = async () =>
    (await harness.db.query<{ name: string }>(`SELECT convert_from(body_hash, 'UTF8') AS name FROM ingest.callbacks WHERE body <> ''`)).map(
      ({ name }) => name,
    );
  await eraseFrom(harness.rpc, 'platform-webhook-ingest', OWNER);
  expect((await left()).sort()).toEqual(['former', 'former, with a user id']);
  await eraseFrom(harness.rpc, 'platform-webhook-ingest', FORMER_OWNER);
  expect(await left()).toEqual([]);
  await harness.close();
});
