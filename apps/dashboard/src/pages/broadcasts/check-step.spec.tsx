/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { queries } from '../../api/client';
import { draw, press, Refusal, requests, sent, type } from '../../page.fixture';
import { loadPhoneFormats } from '../../components/phone-shown';
import { CheckStep } from './check-step';
import { FilledPreviews } from './filled-previews';
import { NewBroadcast } from './new-broadcast';
import { useDraft } from './draft';
import { mapByNames, fieldsOf } from './mapping';
import { readTable } from './recipients-table';
import type { Step } from './steps';
import type { Template } from '../templates/template-values';

const template = { name: 'offer', language: 'en', category: 'MARKETING', components: [], variables: [] } as unknown as Template;
const fields = fieldsOf(template);
const table = readTable('phone\n+1 201 555 0100');
const draft = { name: 'Autumn', template: 'offer/en', text: '', file: null, table, mapping: mapByNames(fields, table.names), version: 1 };
const check = {
  ...{ total: 1, wrong: 0, faults: [], estimate: null, category: 'MARKETING', suppressed: 0 },
  daily_limit: { limit: 1_000, used: 0, left: 1_000, resets_at: '2026-01-05T18:30:00.000Z' },
};

type Respond = (body: unknown, url: URL, headers: Headers) => unknown;

const me = { user: { id: 1, role: 'owner' }, business: { id: 1, timezone: 'UTC' } };

/** Draws the last step of a draft, with what the check and the creation respond. */
function drawStep(
  startsAt: string | null,
  checked: object = check,
  create: Respond = () => ({ id: 7, message: 'Broadcast started.' }),
): void {
  sessionStorage.setItem('kept 1 broadcast', JSON.stringify({ ...draft, startsAt }));
  function Logged() {
    queries.setQueryData(['me'], me);
    return <CheckStep template={template} fields={fields} table={table} onCreated={() => undefined} />;
  }
  draw(<Logged />, {
    'GET /api/client/me': () => me,
    'POST /api/client/broadcasts/check': () => checked,
    'POST /api/client/broadcasts': create,
  });
}

/** Draws the last step with a list. @param check what the check of these phone numbers adds to the response */
function drawList(list: typeof table, add: (phones: string[]) => object | false): void {
  sessionStorage.setItem('kept 1 broadcast', JSON.stringify({ ...draft, table: list, startsAt: null }));
  function Logged() {
    queries.setQueryData(['me'], me);
    return <CheckStep template={template} fields={fields} table={useDraft().draft.table ?? list} onCreated={() => undefined} />;
  }
  draw(<Logged />, {
    'GET /api/client/me': () => me,
    'POST /api/client/broadcasts/check': (body) => {
      const phones = (body as { recipients: { phone: string }[] }).recipients.map(({ phone }) => phone);
      return { ...check, total: phones.length, ...add(phones) };
    },
  });
}

describe('the check of a new broadcast (decision 453)', () => {
  it('a start that was cleared is a fault of its field, and sends nothing', async () => {
    drawStep('2099-01-01T09:00');
    const field = await screen.findByLabelText('Start, UTC time');
    await screen.findByRole('button', { name: 'Schedule' });
    fireEvent.change(field, { target: { value: '' } });
    await screen.findByText('Choose a date and a time, or switch off “Send later”.');
    expect(screen.getByLabelText('Start, UTC time').getAttribute('aria-invalid')).toBe('true');
    expect(screen.queryByRole('button', { name: /^(Schedule|Start sending)$/ })).toBeNull();
    await press('Send later', 'switch');
    await screen.findByRole('button', { name: 'Start sending' });
    const checks = requests.filter(({ route }) => route.endsWith('/check')).map(({ body }) => body as object);
    expect(checks.map((body) => 'scheduled_at' in body)).toEqual([true, false]);
    expect(sent().map(({ route }) => route)).not.toContain('POST /api/client/broadcasts');
  });

  it('a field has what was typed at once, so that fast typing loses nothing and the caret keeps its place', async () => {
    drawStep(null);
    const field = await screen.findByLabelText<HTMLInputElement>('Name');
    for (const value of ['AutumXn', 'AutumXYn']) {
      fireEvent.change(field, { target: { value } });
      expect(field.value).toBe(value);
    }
  });

  it('counts one wrong row as one', async () => {
    drawStep(null, { ...check, total: 20, wrong: 1, faults: [{ line: 1, field: 'phone', message: 'is no phone number' }] });
    await screen.findByText('1 of 20 rows is invalid');
  });

  it('leaves wrong and repeated rows out, and checks the others again', async () => {
    const checked: string[][] = [];
    const list = readTable('phone\n+1 201 555 0100\n12\n12015550100\n+1 201 555 0101');
    const faults = [
      { line: 2, field: 'phone', message: 'is no phone number' },
      { line: 3, field: 'phone', message: 'is the same as in line 1' },
    ];
    drawList(list, (phones) => {
      checked.push(phones);
      return checked.length === 1 && { wrong: 2, faults };
    });
    await screen.findByText('Line 4: phone is the same as in line 2');
    await press('Leave these 2 rows out');
    await screen.findByText('All 2 rows are valid');
    expect(checked.at(-1)).toEqual(['+1 201 555 0100', '+1 201 555 0101']);
    screen.getByRole('button', { name: 'Start sending' });
  });

  it('leaves a row with moved values out, and keeps its valid twin', async () => {
    const list = readTable('phone,name\n+919876543210,Asha,Rao\n+919876543210,Asha\n+1 201 555 0101,Bo');
    const checked: string[][] = [];
    drawList(list, (phones) => {
      checked.push(phones);
      // The first of two rows with one phone number is valid.
      const line = phones.lastIndexOf('+919876543210') + 1;
      const isRepeated = phones.indexOf('+919876543210') + 1 < line;
      return isRepeated && { wrong: 1, faults: [{ line, field: 'phone', message: 'is the same as in line 1' }] };
    });
    await screen.findByText('Line 2: row has 3 cells, and the heading 2');
    await press('Leave this row out');
    await screen.findByText('All 2 rows are valid');
    expect(checked.at(-1)).toEqual(['+919876543210', '+1 201 555 0101']);
  });

  it('offers to leave no row out if every row is wrong', async () => {
    drawStep(null, { ...check, wrong: 1, faults: [{ line: 1, field: 'phone', message: 'is no phone number' }] });
    await screen.findByText(/^Line 2/);
    expect(screen.queryByRole('button', { name: /^Leave/ })).toBeNull();
  });

  it('names the day whose limit counts', async () => {
    drawStep(null);
    await screen.findByText('1,000 of 1,000 recipients are left today.');
    cleanup();
    drawStep('2099-01-01T09:00');
    await screen.findByText('1,000 of 1,000 recipients are left on Jan 1, 2099.');
  });

  it('decision 748: shows how numbers without + are understood', async () => {
    await loadPhoneFormats();
    drawList(readTable('phone\n+1 201 555 0100\n919876543210\n2015550101'), () => ({}));
    await screen.findByText('All 3 rows are valid');
    await screen.findByText('2 numbers without +');
    expect(document.body.textContent).toContain('2015550101 goes to +20 15 550101 (Egypt): its first digits count as the country code.');
    expect(document.body.textContent).not.toContain('Indian');
    expect(screen.getByRole('button', { name: 'Start sending' }).hasAttribute('disabled')).toBe(false);
    cleanup();
    drawStep(null);
    await screen.findByText('The row is valid');
    expect(screen.queryByText(/without \+/)).toBeNull();
  });

  it('decision 748: shows one example of each rule for numbers without +', async () => {
    await loadPhoneFormats();
    drawList(readTable('phone\n9876543210\n9876543211\n(201) 555-01012\n2015550101'), () => ({}));
    await screen.findByText('4 numbers without +');
    const page = document.body.textContent;
    expect(page).toContain('2015550101 goes to +20 15 550101 (Egypt): its first digits count as the country code.');
    expect(page).toContain(
      '9876543210 goes to +91 98765 43210 (India): ten digits that begin with 6, 7, 8 or 9 count as an Indian number.',
    );
    expect(page?.match(/country code\./g)).toHaveLength(1);
    cleanup();
    drawList(readTable('phone\n9876543210\n9876543211'), () => ({}));
    await screen.findByText('2 numbers without +');
    expect(document.body.textContent).not.toContain('first digits');
  });

  it('decision 748: the preview names the number that gets the message', async () => {
    await loadPhoneFormats();
    draw(
      <FilledPreviews
        template={{ ...template, content: 'Hi' }}
        fields={fields}
        mapping={draft.mapping}
        table={readTable('phone\n2015550101\nx')}
      />,
    );
    screen.getByText('To +20 15 550101 (Egypt)');
    screen.getByText('To x');
  });

  it('decision 621: shows how many opted out, or that it is unknown', async () => {
    drawStep(null, { ...check, total: 10, suppressed: 3 });
    await screen.findByText('3 people opted out or are blocked, and will get nothing. They use the daily limit all the same.');
    expect(document.body.textContent).toMatch(/7 people will get offer/);
    await press('Start sending');
    const dialog = await screen.findByRole('dialog', { name: 'Send offer to 7 people?' });
    within(dialog).getByRole('button', { name: 'Send to 7 people' });
    cleanup();
    drawStep(null, { ...check, total: 3, suppressed: 3 });
    await screen.findByText(/^3 people opted out/);
    expect(screen.getByRole('button', { name: 'Start sending' }).hasAttribute('disabled')).toBe(true);
    cleanup();
    drawStep(null, { ...check, suppressed: null });
    await screen.findByText(
      'The opted-out contacts in this list cannot be counted now. They get nothing. They use the daily limit all the same.',
    );
  });

  it('decision 710: an unchanged draft has one Idempotency-Key until it was created, even after a reload', async () => {
    const keys: (string | null)[] = [];
    let isCreated = false;
    const create: Respond = (_, __, headers) => {
      keys.push(headers.get('Idempotency-Key'));
      return isCreated ? { id: 7, message: 'Broadcast started.' } : new Refusal(500, { error: 'No response.' });
    };
    const start = async () => {
      const tries = keys.length;
      await screen.findByRole('button', { name: 'Start sending' });
      await press('Start sending');
      await press('Send to 1 person', 'button', await screen.findByRole('dialog'));
      await waitFor(() => expect(keys).toHaveLength(tries + 1));
    };
    const reload = () => {
      cleanup();
      drawStep(null, check, create);
    };
    reload();
    await start();
    reload();
    await start();
    await type('Name', 'Winter');
    await start();
    await type('Name', 'Autumn');
    isCreated = true;
    await start();
    reload();
    await start();
    const [first, , changed, , next] = keys;
    expect(keys).toEqual([expect.stringMatching(/^\S{16,}$/), first, changed, first, next]);
    expect(new Set(keys).size).toBe(3);
  });
});

describe('the languages of a template (decision 728)', () => {
  const inLanguage = (language: string, variables: string[]) => ({ ...template, language, variables, status: 'APPROVED', content: 'Hi' });
  const templates = [
    inLanguage('en', ['first_name', 'order_id']),
    inLanguage('hi', ['order_id', 'first_name']),
    inLanguage('de', ['vorname', 'bestellung']),
  ];
  const step = (name: RegExp) => press(name, 'button', screen.getByRole('navigation', { name: 'Steps' }));
  const choose = async (field: string, option: string) => {
    await press(field, 'combobox');
    await press(option, 'option');
  };
  const inStep = async (name: RegExp, field: string, option: string) => {
    await step(name);
    await choose(field, option);
  };
  /** Pastes a list with these columns. */
  const paste = async (names: string[], row: string[]) => {
    await step(/Recipients/);
    await type('Or paste the rows here', `${names.join(',')}\n${row.join(',')}`);
    await screen.findByText(/^1 row/);
  };
  /** The columns of the sample. */
  const sample = async () => {
    await step(/Recipients/);
    const href = screen.getByRole('link', { name: 'Download a sample' }).getAttribute('href') ?? '';
    return (
      decodeURIComponent(href.slice(href.indexOf(',') + 1))
        .split('\r\n')[0]
        ?.split(',') ?? []
    );
  };
  const values = async () => {
    await step(/Check and send/);
    await screen.findByText('The row is valid');
    const body = requests.filter(({ route }) => route.endsWith('/check')).at(-1)?.body;
    return (body as { recipients: { body_params: string[] }[] }).recipients[0]?.body_params;
  };

  beforeEach(async () => {
    sessionStorage.clear();
    function Steps() {
      const [at, setAt] = useState<string>('template');
      queries.setQueryData(['me'], me);
      return <NewBroadcast step={at} onStep={(next: Step) => setAt(next)} onLeave={() => undefined} onCreated={() => undefined} />;
    }
    draw(<Steps />, {
      'GET /api/client/me': () => me,
      'GET /api/client/templates': () => ({ templates }),
      'POST /api/client/broadcasts/check': () => check,
    });
    await screen.findByRole('combobox', { name: 'Template' });
    await choose('Template', 'offer (en)');
  });
  afterAll(() => sessionStorage.clear());

  it('each have a sample whose columns fill the same variables', async () => {
    await paste(await sample(), ['12015550100', 'Asha', '1007']);
    expect(await values()).toEqual(['Asha', '1007']);
    await inStep(/Template/, 'Template', 'offer (hi)');
    expect(await values()).toEqual(['1007', 'Asha']);
    await paste(await sample(), ['12015550100', '1007', 'Asha']);
    expect(await values()).toEqual(['1007', 'Asha']);
  });

  it('with other variables take no columns by their places, and the first language keeps what the person chose', async () => {
    await paste(['phone', 'order_id', 'first_name', 'note'], ['12015550100', '1007', 'Asha', 'x']);
    await inStep(/Values/, '{{1}} first_name', 'The same text for everybody');
    await type('Text for {{1}} first_name', 'friend');
    await choose('{{2}} order_id', 'note');
    await inStep(/Template/, 'Template', 'offer (de)');
    await step(/Values/);
    const chosen = ['{{1}} vorname', '{{2}} bestellung'].map((name) => screen.getByRole<HTMLInputElement>('combobox', { name }).value);
    expect(chosen).toEqual(['', '']);
    expect(screen.getByRole('button', { name: 'Continue to the check' }).hasAttribute('disabled')).toBe(true);
    await inStep(/Template/, 'Template', 'offer (en)');
    expect(await values()).toEqual(['friend', 'x']);
    await inStep(/Template/, 'Template', 'offer (de)');
    await paste(['phone', 'bestellung', 'vorname'], ['12015550100', '1007', 'Asha']);
    expect(await values()).toEqual(['Asha', '1007']);
  });
});
