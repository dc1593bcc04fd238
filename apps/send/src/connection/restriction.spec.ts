import { startSending } from '../sending/send.fixture';

it.each([
  [['RESTRICTED_BIZ_INITIATED_MESSAGING'], 'from sending templates until 2030-01-02T03:04:05.000Z.'],
  [
    ['RESTRICTED_BIZ_INITIATED_MESSAGING', 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING'],
    'from sending templates until 2030-01-02T03:04:05.000Z at the latest.',
  ],
])('platform §4.6, decision 19: an account under %j is told what it may not send, and no call is spent', async (kinds, words) => {
  const sending = await startSending({ restriction: { kinds, until: '2030-01-02T03:04:05.000Z' } });
  await sending.run();
  expect(await sending.template()).toMatchObject({ error_code: 'NOT_CONNECTED', message: expect.stringContaining(words) as string });
  expect(sending.platform.calls()).toHaveLength(0);
  await sending.harness.close();
});
