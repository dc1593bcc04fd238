import type { Schemas } from '../../api/client';
import { countFilterOf, exportAddress, filterOf, isScan } from './log-filter';
import { requestCurl, valuesOf } from './request-curl';

const message: Schemas['MessageDetail']['message'] = {
  message_id: 'wamid.A/1=',
  to: '12015550100',
  type: 'text',
  template: null,
  text: "It's here",
  sent_by: 'api',
  api_key_id: 1,
  api_status: 'success',
  delivery_status: 'sent',
  failure_reason: null,
  sent_at: '2026-01-02T03:04:05.000Z',
};
const template = { name: 'order_update', language: 'en', content: 'Hello {{1}}, order {{2}} (1+1).' };
const curl = (more: Partial<typeof message>) => requestCurl({ ...message, ...more }, [template], 'https://gw.example').text;

describe('the request of a message in the log (decision 442)', () => {
  it('repeats texts, and templates whose values follow from their text', () => {
    expect(curl({})).toContain(`-d '{"phone":"+12015550100","message":"It'\\''s here"}'`);
    const sent = { type: 'template', template: 'order_update', text: 'Hello Asha, order 4711 (1+1).' };
    expect(curl(sent)).toContain(`{"phone":"+12015550100","template_name":"order_update","language":"en","body_params":["Asha","4711"]}`);
    expect(valuesOf(template.content, 'Another text')).toBeNull();
    expect(valuesOf('{{1}} {{2}} sent', 'Asha Rao K sent')).toBeNull();
    expect(valuesOf('Sent', 'Sent')).toEqual([]);
    // A regular expression would need minutes.
    expect(valuesOf('{{1}}a{{2}}a{{3}}a{{4}}a{{5}}a{{6}}a{{7}}.', 'a'.repeat(600))).toBeNull();
  });

  it('requests the status of a message that the log does not store', () => {
    for (const more of [{ type: 'image' }, { type: 'otp' }, { type: 'template', template: 'gone', text: 'x' }])
      expect(curl(more)).toContain('https://gw.example/api/v1/message-status/wamid.A%2F1%3D');
  });
});

describe('the filters of the log in its address (decision 442)', () => {
  it('go to the list and the download, and to the counts if these know them', () => {
    const search = { period: '7d', status: 'failed', failure_code: '131026', id: 'wamid.1', phone: '' };
    expect(filterOf(search)).toEqual({ period: '7d', status: 'failed', failure_code: '131026' });
    expect(countFilterOf(search)).toEqual({ period: '7d', failure_code: '131026' });
    expect(countFilterOf({ ...search, phone: '3210' })).toBeNull();
    expect(exportAddress(search)).toBe('/api/client/messages?period=7d&failure_code=131026&status=failed&format=csv');
    expect([isScan(search), isScan({ period: '7d', id: 'wamid.1' })]).toEqual([true, false]);
  });
});
