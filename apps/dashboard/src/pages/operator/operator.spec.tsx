/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { cleanup, screen, within } from '@testing-library/react';
import { queries } from '../../api/client';
import { chooseFile, draw, press, Refusal, sent, type } from '../../page.fixture';
import { AutoReplyForm } from '../auto-reply/auto-reply-form';
import { BusinessRules } from '../settings/business-rules';
import { UploadRateCard } from '../rate-card/upload-rate-card';
import { CreateBusiness } from './create-business';
import { DeadLettersPage } from './dead-letters-page';
import { KeyLimits } from './key-limits';
import { BusinessPlan } from './business-plan';

const letter = { service: 'send', id: 7, at: '2026-01-01T00:00:00Z', subject: 's', event_id: 'e', business: 1, reason: 'r', tries: 1 };

describe('forms of operators and owners (decision 430)', () => {
  it('limits: sends only the limit that changed, because a sent one stops following the plan', async () => {
    draw(<KeyLimits apiKey={{ id: 4, per_minute_limit: 60, daily_limit: 150, expires_at: null } as never} done={() => undefined} />, {
      'PATCH /api/admin/api-keys/4': () => ({ message: 'Saved.' }),
    });
    await type('Messages a day', '200');
    await press('Save');
    await screen.findByText('Saved.');
    expect(sent()).toEqual([{ route: 'PATCH /api/admin/api-keys/4', body: { daily_limit: 200 } }]);
  });

  it('key: loses its expiry when the field is emptied', async () => {
    const key = { id: 4, per_minute_limit: 60, daily_limit: 150, expires_at: '2099-01-31T00:00:00.000Z' };
    draw(<KeyLimits apiKey={key as never} done={() => undefined} />, { 'PATCH /api/admin/api-keys/4': () => ({ message: 'Saved.' }) });
    await type(/^Expires/, '');
    await press('Save');
    await screen.findByText('Saved.');
    expect(sent()).toEqual([{ route: 'PATCH /api/admin/api-keys/4', body: { never_expires: true } }]);
  });

  it('plan: changes after a question that names the effect', async () => {
    const business = { id: 2, name: 'Kaveri', plan: 'Growth', timezone: 'UTC', broadcast_daily_limit: 1_000 };
    draw(<BusinessPlan business={business as never} />, { 'PATCH /api/admin/businesses/2': () => ({ message: 'Changed.' }) });
    await press(/^Plan of/, 'combobox');
    await press('Starter', 'option');
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toMatch(/from Growth to Starter\?.*keys stop sending at once.* By default, broadcasts .* an operator set/);
    expect(sent()).toEqual([]);
    await press('Change to Starter', 'button', dialog);
    await screen.findByText('Changed.');
    expect(sent()).toEqual([{ route: 'PATCH /api/admin/businesses/2', body: { plan: 'Starter' } }]);
  });

  it('rate card: a corrected file of the same name is read, and one that changed on the disk is to be chosen again', async () => {
    const refusal = new Refusal(400, { error: 'Wrong.', details: [{ field: 'Line 1', message: 'is wrong' }] });
    let refuse: (() => void) | undefined;
    const responses = { wrong: refusal, right: { message: 'Saved.' }, slow: new Promise((resolve) => (refuse = () => resolve(refusal))) };
    draw(<UploadRateCard />, {
      'PUT /api/admin/rate-card': (body) => responses[(body as { csv: keyof typeof responses }).csv],
    });
    const save = async () => {
      await press('Save the rate card');
      await press('Save the rate card', 'button', await screen.findByRole('dialog'));
    };
    chooseFile('rates.csv', 'wrong');
    await save();
    await screen.findByText('Line 1 is wrong');
    chooseFile('rates.csv', 'right', { text: () => Promise.reject(new Error('NotReadableError')) });
    expect(screen.queryByText('Line 1 is wrong')).toBeNull();
    await save();
    await screen.findByText('The file cannot be read. Choose it again.');
    chooseFile('rates.csv', 'right');
    await save();
    await screen.findByText('Saved.');
    expect(sent().map(({ body }) => (body as { csv: string }).csv)).toEqual(['wrong', 'right']);
    chooseFile('rates.csv', 'slow');
    await save();
    chooseFile('rates.csv', 'right');
    refuse?.();
    // The form no longer shows the faults of that file (decision 753).
    await screen.findByText('Wrong.');
    expect(screen.queryByText('Line 1 is wrong')).toBeNull();
  });

  it('dead letters: shows the body as indented JSON, replays, and discards after a question', async () => {
    draw(<DeadLettersPage />, {
      'GET /api/admin/dead-letters': () => ({ dead_letters: [letter], totals: [{ service: 'send', total: 101 }] }),
      'GET /api/admin/dead-letters/send/7': () => ({ ...letter, body: '{"a":1}' }),
      'POST /api/admin/dead-letters/send/7/replay': () => ({ message: 'Replaying.' }),
      'DELETE /api/admin/dead-letters/send/7': () => ({ message: 'Discarded.' }),
    });
    await screen.findByText('send has 101; these are the oldest 100.');
    await press('Show dead letter 7 of send');
    await screen.findByText((_, element) => element?.tagName === 'PRE' && element.textContent === '{\n  "a": 1\n}');
    await press('Replay dead letter 7 of send');
    await screen.findByText('Replaying.');
    await press('Discard dead letter 7 of send');
    const dialog = await screen.findByRole('dialog', { name: 'Discard dead letter 7 of send?' });
    await press('Discard', 'button', dialog);
    await screen.findByText('Discarded.');
    expect(sent().map(({ route }) => route.split(' ')[0])).toEqual(['POST', 'DELETE']);
  });

  it('business: a retry after a refused owner creates the owner only', async () => {
    let fails = true;
    let begun: unknown = null;
    const element = (made: never) => <CreateBusiness begun={made} begin={(one) => (begun = one)} done={() => undefined} />;
    const routes = {
      'POST /api/admin/businesses': () => ({ id: 9 }),
      'POST /api/admin/businesses/9/users': () => (fails ? new Refusal(409, { error: 'This address is taken.' }) : { id: 1 }),
    };
    draw(element(null as never), routes);
    const fillOwner = async () => {
      await type(/^Owner’s name/, 'Asha');
      await type(/^Owner’s email/, 'asha@example.com');
      await type(/^Owner’s initial/, 'long enough');
    };
    await type(/^Name/, 'Kaveri');
    await fillOwner();
    await press('Create');
    await screen.findByText('This address is taken.');
    expect(begun).toEqual({ id: 9, name: 'Kaveri', plan: 'Growth' });
    fails = false;
    cleanup();
    draw(element(begun as never), routes);
    expect(document.body.textContent).toContain('Kaveri was created; its owner is still to be.');
    await fillOwner();
    await press('Create');
    await screen.findByText('The business and its owner were created.');
    expect(sent().map(({ route }) => route)).toEqual(['POST /api/admin/businesses/9/users']);
  });

  it('business: without a password the owner’s link is shown once', async () => {
    const done = jest.fn();
    draw(<CreateBusiness begun={null} begin={() => undefined} done={done} />, {
      'POST /api/admin/businesses': () => ({ id: 9 }),
      'POST /api/admin/businesses/9/users': () => ({
        ...{ id: 1, message: 'Invited.', invite_url: 'https://gw.example/password#token=t1', expires_at: '2026-01-02T00:00:00Z' },
      }),
    });
    await type(/^Name/, 'Kaveri');
    await type(/^Owner’s name/, 'Asha');
    await type(/^Owner’s email/, 'asha@example.com');
    await press('Create');
    await screen.findByText('https://gw.example/password#token=t1');
    expect(sent().at(-1)?.body).toEqual({ name: 'Asha', email: 'asha@example.com', role: 'owner' });
    expect(done).not.toHaveBeenCalled();
    await press('I have copied it');
    expect(done).toHaveBeenCalled();
  });

  it('auto-reply: warns that a new host loses the stored key, and sends changed fields only', async () => {
    const settings = {
      enabled: false,
      has_api_key: true,
      base_url: 'https://a.example/v1',
      model: 'm',
      instructions: '',
      daily_limit: 1,
      daily_cost_limit: null,
      quiet_when_agent_active_minutes: 0,
    };
    function Form() {
      queries.setQueryData(['me'], { user: { id: 1, role: 'owner' }, business: { id: 1 } });
      return <AutoReplyForm settings={settings as never} />;
    }
    draw(<Form />, { 'PUT /api/client/auto-reply': () => ({ message: 'Saved.' }) });
    await type(/^Model URL/, 'https://a.example/v2');
    expect(document.body.textContent).toContain('Set. It is never shown.');
    await type(/^Model URL/, 'https://b.example/v1');
    expect(document.body.textContent).toContain('will be removed');
    expect(screen.queryByText('There are no instructions')).toBeNull();
    await press('Reply to customers automatically', 'switch');
    screen.getByText('There are no instructions');
    await press('Save');
    await screen.findByText('Saved.');
    expect(sent()[0]?.body).toEqual({ base_url: 'https://b.example/v1', enabled: true });
  });

  it('rules: sends changed fields only; only an owner requires two-step login, and a pending zone shows when it begins', async () => {
    const settings = {
      timezone: 'Asia/Kolkata',
      timezone_now: 'UTC',
      timezone_from: '2026-01-02T00:00:00Z',
      stop_words: [],
      start_words: [],
    };
    for (const role of ['manager', 'owner']) {
      const me = { user: { id: 1, role }, business: { id: 1 } };
      queries.clear();
      cleanup();
      function Rules() {
        queries.setQueryData(['me'], me);
        return <BusinessRules settings={settings as never} />;
      }
      draw(<Rules />, { 'GET /api/client/me': () => me, 'PUT /api/client/settings': () => ({ message: 'Settings saved.' }) });
      const required = within(document.body).getByLabelText(/^Require two-step login/) as HTMLInputElement;
      expect(required.disabled).toBe(role === 'manager');
    }
    expect(document.body.textContent).toMatch(/UTC applies until Jan 2, 2026.* there, then Asia\/Kolkata\./);
    // A colleague's change of other settings stays.
    await press(/^Send one-time passwords/, 'switch');
    await press('Save');
    await screen.findByText('Settings saved.');
    expect(sent()).toEqual([{ route: 'PUT /api/client/settings', body: { otp_to_opted_out: true } }]);
  });
});
