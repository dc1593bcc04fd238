import request from 'supertest';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

interface Refusal {
  error: string;
  details: { field: string; message: string }[];
}

describe('field names in refusals (decisions 2 and 6)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  let operator: Session;
  let token: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const key = await dashboard.apiKey();
    token = key.token;
    owner = await dashboard.session('owner', key.business_id);
    operator = await dashboard.session('operator', null);
  });
  afterAll(() => dashboard.close());

  const refusalOf = (response: request.Response): Refusal => {
    expect([response.status, response.body]).toMatchObject([400, { success: false, error_code: 'VALIDATION_FAILED' }]);
    for (const detail of (response.body as Refusal).details) expect(Object.keys(detail)).toEqual(['field', 'message']);
    return response.body as Refusal;
  };
  const wrong = { name: 'CRM', permissions: ['*'] };

  it('lists every wrong field at once, in details and in the error text', async () => {
    const { error, details } = refusalOf(await owner.post('/api/client/webhooks', { name: '', url: 7, events: [], secrets: 'x' }));
    expect(details.map(({ field }) => field).sort()).toEqual(['events', 'name', 'secrets', 'url']);
    expect(error).toBe(`${details.map(({ field, message }) => `${field} ${message}`).join('; ')}.`);
  });

  it.each([
    ['expires_att', 'is not known (did you mean `expires_at`?)'],
    ['expire_at', 'is not known (did you mean `expires_at`?)'],
    ['expiresAt', 'is not known (did you mean `expires_at`?)'],
    ['EXPIRES_AT', 'is not known (did you mean `expires_at`?)'],
    ['expired', 'is not known'],
    ['at', 'is not known'],
    // The request already has that field.
    ['names', 'is not known'],
    ['x'.repeat(500), 'is not known'],
  ])('suggests a name for the unknown field %.20s on /api/client', async (name, message) => {
    const { details } = refusalOf(await owner.post('/api/client/api-keys', { ...wrong, [name]: null }));
    expect(details).toEqual([{ field: name, message }]);
  });

  it('suggests names in a query, on /api/admin, and in the rows of a broadcast', async () => {
    const query = refusalOf(await owner.get('/api/client/messages?statuss=read'));
    expect(query.details).toEqual([{ field: 'statuss', message: 'is not known (did you mean `status`?)' }]);
    const business = { name: 'Books', plan: 'Growth', timezon: 'Asia/Kolkata' };
    expect(refusalOf(await operator.post('/api/admin/businesses', business)).details).toContainEqual({
      field: 'timezon',
      message: 'is not known (did you mean `timezone`?)',
    });
    const rows = [{ phone: '+12015550100' }, { phone: '+12015550101', body_param: ['Asha'] }];
    const broadcast = { name: 'Autumn', template_name: 'order_update', recipients: rows };
    expect(refusalOf(await owner.post('/api/client/broadcasts', broadcast)).error).toContain(
      'in line 2 body_param is not known (did you mean `body_params`?)',
    );
  });

  it.each([
    [
      'send-text',
      { Phone: '+12015550100', message: 'Hi' },
      'phone',
      'is required and must be a string (`Phone` is not known: did you mean `phone`?)',
    ],
    [
      'send-template',
      { phone: '+12015550100', templateName: 'order_update', crm_id: 7 },
      'template_name',
      'is required and must be a string (`templateName` is not known: did you mean `template_name`?)',
    ],
    ['send-text', { to: '+12015550100', message: 'Hi' }, 'phone', 'is required and must be a string'],
    // The request has the field, so nothing is missing.
    ['send-text', { phone: 7, Phone: '+12015550100', message: 'Hi' }, 'phone', 'must be a string'],
  ])('decision 6: %s ignores unknown fields, and suggests one as the missing field: %j', async (path, body, field, message) => {
    const response = await request(dashboard.visitor.server).post(`/api/v1/${path}`).set('x-api-key', token).send(body);
    expect(refusalOf(response).details).toEqual([{ field, message }]);
  });
});
