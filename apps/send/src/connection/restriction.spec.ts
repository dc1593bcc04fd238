import { startSending } from '../send.fixture';

it.each([
  [['RESTRICTED_BIZ_INITIATED_MESSAGING'], 'it may not send templates until 2030-01-02T03:04:05.000Z.'],
  [
    ['RESTRICTED_BIZ_INITIATED_MESSAGING', 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING'],
    'it may not send templates until 2030-01-02T03:04:05.000Z at the latest.',
  ],
])(
  'platform §4.6, decision 19: an account under %j gets an error that names the restriction, without a platform call',
  async (kinds, words) => {
    const sending = await startSending({ restriction: { kinds, until: '2030-01-02T03:04:05.000Z' } });
    await sending.run();
    expect(await sending.template()).toMatchObject({ error_code: 'NOT_CONNECTED', message: expect.stringContaining(words) as string });
    expect(sending.platform.calls()).toHaveLength(0);
    await sending.harness.close();
  },
);
