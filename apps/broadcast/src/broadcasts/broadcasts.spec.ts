import { CheckBroadcast, FindTemplates, type TemplateShape } from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import { BroadcastConfig } from '../broadcast.config';
import { BroadcastModule } from '../broadcast.module';
import { migrations } from '../migrations/migrations';

const TEMPLATE: TemplateShape = {
  id: 1,
  name: 'moving',
  language: 'en',
  category: 'MARKETING',
  content: 'Hello {{1}}.',
  body_variables: ['1'],
  named: false,
  header_format: 'GIF',
  header_text: null,
  header_variables: [],
  button_parameters: [],
};

describe('what a broadcast may send (product §2)', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ schema: 'broadcast', migrations });
    harness.answer(FindTemplates, ({ names }) => ({ found: names.map(() => ({ template: TEMPLATE, available_languages: ['en'] })) }));
    await harness.run({ name: 'broadcast', module: BroadcastModule, config: BroadcastConfig, schema: 'broadcast' } as never);
  });
  afterAll(() => harness.close());

  it('platform §1.4: a template with a GIF header is refused as a whole, not recipient by recipient', async () => {
    const recipients = [{ line: 1, phone: '12015550100', body_params: ['Asha'], header_params: [] }];
    const check = harness.rpc.call(CheckBroadcast, { business_id: 1, template_name: 'moving', language: 'en', recipients });
    await expect(check).rejects.toMatchObject({
      error_code: 'VALIDATION_FAILED',
      message: expect.stringContaining('GIF header') as string,
      extras: { details: [{ field: 'template_name' }] },
    });
  });
});
