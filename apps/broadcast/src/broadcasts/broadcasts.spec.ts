import { CheckBroadcast } from '@mgw/contracts';
import type { Harness } from '@mgw/harness';
import { Broadcasts } from '../../test/broadcasts.fixture';
import { service } from '../main';

describe('spec §10: templates of a broadcast', () => {
  let harness: Harness;
  beforeAll(async () => {
    ({ harness } = await Broadcasts.start({ header_format: 'GIF' }));
    await harness.run(service);
  });
  afterAll(() => harness.close());

  it('platform §1.4: refuses a template with a GIF header before any recipient', async () => {
    const recipients = [{ line: 1, phone: '12015550100', body_params: [], header_params: [] }];
    const check = harness.rpc.call(CheckBroadcast, { business_id: 1, template_name: 'offer', language: 'en', recipients });
    await expect(check).rejects.toMatchObject({
      error_code: 'VALIDATION_FAILED',
      message: expect.stringContaining('GIF header') as string,
      extras: { details: [{ field: 'template_name' }] },
    });
  });
});
