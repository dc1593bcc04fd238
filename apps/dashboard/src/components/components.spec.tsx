/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { Button, Drawer, MantineProvider, Modal, TextInput } from '@mantine/core';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, fireEvent, renderHook, screen, waitFor, within } from '@testing-library/react';
import { useRef, useState, type ChangeEvent, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { api, ApiError, queries, request } from '../api/client';
import { draw, press, Refusal, requests, type } from '../page.fixture';
import { shareOf } from './busiest-key';
import { CapBanner } from './cap-banner';
import { duration, untilMidnight, useNow } from './clock';
import { clockTime, dayOf } from './clock-time';
import { ConfirmButton } from './confirm-button';
import { csvFile } from './csv-file';
import { DataTable } from './data-table';
import { PasswordField } from './password-field';
import { DatetimeField } from './datetime-field';
import { DownloadButton } from './download-button';
import { ExpiryField } from './expiry-field';
import { Field } from './field';
import { Form } from './form';
import { FormDrawer } from './form-drawer';
import { FormModal } from './form-modal';
import { percent } from './format-number';
import { LinkShownOnce } from './link-shown-once';
import { FirstRows } from './first-rows';
import { LoadMore } from './load-more';
import { NewPasswordFields, NO_PASSWORD } from './new-password-fields';
import { NumberField } from './number-field';
import { QueryResult } from './query-result';
import { RelativeTime } from './relative-time';
import { quoted } from './shell-quote';
import { theme } from '../theme';
import { useFirstLoad } from './use-first-load';
import { useKeptFocus } from './use-kept-focus';
import { usePagedQuery } from './use-paged-query';
import { SearchField } from './search-field';
import { useSearchText } from './use-search-text';

describe('the dashboard’s components (decision 430)', () => {
  afterEach(() => jest.restoreAllMocks());

  it('test environment: queries by role skip hidden elements', () => {
    draw(
      <>
        <button hidden>Hidden</button>
        <div style={{ display: 'none' }}>
          <button>In a box without display</button>
        </div>
        <div style={{ visibility: 'hidden' }}>
          <button>In an invisible box</button>
          <button style={{ visibility: 'visible' }}>Visible again</button>
        </div>
        <dialog>
          <button>In a closed dialog</button>
        </dialog>
        <dialog open>
          <button>In an open dialog</button>
        </dialog>
      </>,
    );
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Visible again', 'In an open dialog']);
  });

  it('confirm: runs the action after its confirmation only, and puts the focus on the harmless button', async () => {
    const remove = jest.fn();
    draw(
      <ConfirmButton question="Remove Asha?" consequence="Her sessions end." onConfirm={remove}>
        Remove
      </ConfirmButton>,
    );
    await press('Remove');
    const dialog = screen.getByRole('dialog', { name: 'Remove Asha?' });
    expect(dialog.textContent).toContain('Her sessions end.');
    expect(screen.getByRole('button', { name: 'Go back' }).hasAttribute('data-autofocus')).toBe(true);
    await press('Go back');
    await press('Remove');
    expect(remove).not.toHaveBeenCalled();
    await press('Remove', 'button', screen.getByRole('dialog'));
    expect(remove).toHaveBeenCalledTimes(1);
  });

  it('confirm: a second click while the closed dialog fades does nothing', async () => {
    const remove = jest.fn();
    draw(
      <MantineProvider>
        <ConfirmButton question="Remove Asha?" onConfirm={remove}>
          Remove
        </ConfirmButton>
      </MantineProvider>,
    );
    await press('Remove');
    const dialog = await screen.findByRole('dialog', { name: 'Remove Asha?' });
    const button = await within(dialog).findByRole('button', { name: 'Remove' });
    fireEvent.click(button);
    fireEvent.click(button);
    expect(remove).toHaveBeenCalledTimes(1);
  });

  it.each([FormDrawer, FormModal])('form: a second submit while its closed dialog fades does nothing', async (Dialog) => {
    const save = jest.fn();
    function Page() {
      const [opened, setOpened] = useState(true);
      return (
        <Dialog opened={opened} onClose={jest.fn()} title="New key">
          <Form
            onSubmit={() => {
              save();
              setOpened(false);
            }}
          >
            <button type="submit">Create</button>
          </Form>
        </Dialog>
      );
    }
    draw(
      <MantineProvider>
        <Page />
      </MantineProvider>,
    );
    const button = await screen.findByRole('button', { name: 'Create' });
    fireEvent.click(button);
    fireEvent.click(button);
    expect(save).toHaveBeenCalledTimes(1);
  });

  it.each([Drawer, Modal])('dialog: its head is no landmark', async (Dialog) => {
    draw(
      <MantineProvider theme={theme} env="test">
        <Dialog opened onClose={jest.fn()} title="Message" />
      </MantineProvider>,
    );
    expect((await screen.findByText('Message')).closest('header')?.getAttribute('role')).toBe('presentation');
  });

  describe('form', () => {
    const save = jest.fn();
    beforeEach(() => save.mockReset());
    function Invitation({ error }: { error?: unknown }) {
      const [values, setValues] = useState({ name: '', email: '', limit: '0' });
      const of = (name: keyof typeof values) => ({
        value: values[name],
        onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => setValues((now) => ({ ...now, [name]: value })),
      });
      return (
        <Form onSubmit={() => save(values)} error={error}>
          <Field name="name">
            <TextInput label="Name" required {...of('name')} />
          </Field>
          <Field name="email">
            <TextInput label="Email" type="email" required {...of('email')} />
          </Field>
          <Field name="limit">
            <TextInput label="Limit" type="number" min={1} max={1_000} {...of('limit')} />
          </Field>
          <Button type="submit">Invite</Button>
        </Form>
      );
    }
    const faultAt = (label: RegExp) => {
      const input = screen.getByLabelText<HTMLInputElement>(label);
      const texts = (input.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '');
      return input.getAttribute('aria-invalid') === 'true' ? texts.join('') : null;
    };

    it('shows at each field why its value is wrong, focuses the first one, and sends nothing until it is right', async () => {
      draw(<Invitation />);
      await press('Invite');
      expect([faultAt(/^Name/), faultAt(/^Email/), faultAt(/^Limit/)]).toEqual([
        'Name is missing.',
        'Email is missing.',
        'Limit must be a number from 1 to 1,000.',
      ]);
      expect(document.activeElement).toBe(screen.getByLabelText(/^Name/));
      await type(/^Name/, 'Asha');
      expect(faultAt(/^Name/)).toBeNull();
      await type(/^Name/, ' ');
      await press('Invite');
      expect(faultAt(/^Name/)).toBe('Name is missing.');
      await type(/^Name/, 'Asha');
      await type(/^Email/, 'asha');
      await type(/^Limit/, '7');
      await press('Invite');
      expect(faultAt(/^Email/)).toBe('Email must be an address such as name@company.com.');
      expect(document.activeElement).toBe(screen.getByLabelText(/^Email/));
      expect(save).not.toHaveBeenCalled();
      await type(/^Email/, 'asha@company.com');
      await press('Invite');
      expect(save.mock.calls).toEqual([[{ name: 'Asha', email: 'asha@company.com', limit: '7' }]]);
    });

    it('names a date whose year has five digits, or that is not complete', async () => {
      const save = jest.fn();
      function Since() {
        const [since, setSince] = useState('');
        return (
          <Form onSubmit={save}>
            <Field name="since">
              <DatetimeField label="Since" value={since} onChange={(e) => setSince(e.currentTarget.value)} />
            </Field>
            <button type="submit">Save</button>
          </Form>
        );
      }
      draw(<Since />);
      await type('Since', '12026-05-06T09:10');
      await press('Save');
      await screen.findByText('Since must be a date with a year of four digits.');
      expect(save).not.toHaveBeenCalled();
    });

    it('marks a wrong password for screen readers until it changes', async () => {
      function Password() {
        const [password, setPassword] = useState('');
        return (
          <Form onSubmit={save}>
            <Field name="password">
              <PasswordField label="Password" required value={password} onChange={(e) => setPassword(e.currentTarget.value)} />
            </Field>
            <button type="submit">Save</button>
          </Form>
        );
      }
      draw(<Password />);
      expect(faultAt(/^Password/)).toBeNull();
      await press('Save');
      expect(faultAt(/^Password/)).toBe('Password is missing.');
      await type(/^Password/, 'long enough');
      expect(faultAt(/^Password/)).toBeNull();
    });

    it('submits itself only, and not the form whose dialog it is in', async () => {
      const around = jest.fn();
      draw(
        <form onSubmit={around}>
          <Modal opened onClose={jest.fn()} title="Replies">
            <Form onSubmit={save}>
              <Button type="submit">Add</Button>
            </Form>
          </Modal>
        </form>,
      );
      await screen.findByRole('button', { name: 'Add' });
      await press('Add');
      expect([save.mock.calls.length, around.mock.calls.length]).toEqual([1, 0]);
    });

    it('shows what the gateway refused at its field, and the rest above the button, and keeps the input', async () => {
      const details = [
        { field: 'limit.most', message: 'must be at most 5' },
        { field: 'email', message: 'is in use' },
        { field: 'plan', message: 'does not allow it' },
      ];
      const refuse: { with?: (error: unknown) => void } = {};
      function Refused() {
        const [error, setError] = useState<unknown>(null);
        refuse.with = setError;
        return <Invitation error={error} />;
      }
      draw(<Refused />);
      await type(/^Name/, 'Asha');
      act(() => refuse.with?.(new ApiError(400, 'VALIDATION_FAILED', 'Two fields are wrong.', details, undefined, null)));
      expect([faultAt(/^Name/), faultAt(/^Email/), faultAt(/^Limit/)]).toEqual([null, 'Email is in use.', 'Limit must be at most 5.']);
      expect(document.activeElement).toBe(screen.getByLabelText(/^Email/));
      expect(screen.getByRole('alert').textContent).toBe('plan does not allow it');
      expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Asha');
      act(() => refuse.with?.(new Error('no network')));
      expect(screen.getByRole('alert').textContent).toMatch(/did not respond/);
      expect(faultAt(/^Email/)).toBeNull();
    });
  });

  it('decision 764: a dialog gives the focus to the first field that takes input', async () => {
    draw(
      <FormModal opened onClose={() => undefined} title="New business">
        <Form onSubmit={() => undefined}>
          <TextInput label="Name" disabled defaultValue="Spice Route" />
          <TextInput label="Owner" />
        </Form>
      </FormModal>,
    );
    const owner = await screen.findByLabelText('Owner');
    await waitFor(() => expect(document.activeElement).toBe(owner));
  });

  it.each([FormModal, FormDrawer])('decision 630: a dialog confirms before it discards input', async (Dialog) => {
    drawBetweenListeners();
    const close = jest.fn();
    function Named() {
      const [name, setName] = useState('CRM');
      return (
        <Dialog opened onClose={close} title="Key" closeButtonProps={{ 'aria-label': 'Close' }}>
          <Form onSubmit={() => undefined}>
            <TextInput label="Name" value={name} onChange={(e) => setName(e.currentTarget.value)} />
          </Form>
        </Dialog>
      );
    }
    draw(<Named />);
    await screen.findByRole('dialog', { name: 'Key' });
    const clickOutside = () => fireEvent.click(document.querySelector('[class*=-overlay]') as Element);
    const escape = () => fireEvent.keyDown(document.body, { key: 'Escape', code: 'Escape' });
    const ways = [escape, clickOutside, () => fireEvent.click(screen.getByRole('button', { name: 'Close' }))];
    const asks = () => screen.findByRole('dialog', { name: 'Discard what you entered?' });
    for (const leave of ways) leave();
    expect(close).toHaveBeenCalledTimes(3);
    await type('Name', 'Shop');
    for (const leave of ways) {
      leave();
      await press('Go back', 'button', await asks());
      await waitFor(() => expect(screen.queryByText('Discard what you entered?')).toBeNull());
    }
    escape();
    await asks();
    escape();
    await waitFor(() => expect(screen.queryByText('Discard what you entered?')).toBeNull());
    expect(close).toHaveBeenCalledTimes(3);
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Shop');
    escape();
    await press('Discard', 'button', await asks());
    expect(close).toHaveBeenCalledTimes(4);
    await type('Name', 'CRM');
    escape();
    expect(close).toHaveBeenCalledTimes(5);
  });

  it('download: leaves a file to the browser, and shows why it was refused', async () => {
    let refusal = new Refusal(429, { error: 'Too many downloads are running at once.', error_code: 'RATE_LIMITED' });
    draw(<DownloadButton href="/api/client/messages?format=csv">Export CSV</DownloadButton>, {
      'GET /api/client/messages': () => refusal,
    });
    await press('Export CSV', 'link');
    const frame = () => document.querySelector('iframe') as HTMLIFrameElement;
    expect([frame().src, frame().hidden]).toEqual(['http://localhost/api/client/messages?format=csv', true]);
    // A browser loads no file into the frame.
    expect(requests).toEqual([]);
    const first = frame();
    fireEvent.load(first);
    await screen.findByText('Too many downloads are running at once.');
    refusal = new Refusal(200, {});
    await press('Export CSV', 'link');
    expect(frame()).not.toBe(first);
    fireEvent.load(frame());
    await screen.findByText('The download did not start. Try again.');
  });

  it('table: has a head for each column and scrolls by keyboard', () => {
    draw(
      <DataTable minWidth={400} columns={['Name', { children: 'Count', ta: 'right' }, { 'aria-label': 'Actions' }]}>
        <tr />
      </DataTable>,
    );
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent || head.getAttribute('aria-label'))).toEqual([
      'Name',
      'Count',
      'Actions',
    ]);
    expect(document.querySelector('[tabindex="0"]')).not.toBeNull();
    // Cards on a phone name each cell by its column.
    const { style } = document.querySelector('.data-table-cards table') as HTMLElement;
    expect([1, 2, 3].map((column) => style.getPropertyValue(`--column-${column}`))).toEqual(['"Name"', '"Count"', '']);
  });

  it('expiry: reads and writes the time in the business’s zone, which it names, and null without one', async () => {
    const change = jest.fn();
    function Field() {
      queries.setQueryData(['me'], { business: { timezone: 'Asia/Kolkata' } });
      return <ExpiryField label="Expires" description="" value="2026-05-06T20:08:00.000Z" onChange={change} />;
    }
    draw(<Field />);
    const label = 'Expires, Asia/Kolkata time';
    expect((screen.getByLabelText(label) as HTMLInputElement).value).toBe('2026-05-07T01:38');
    await type(label, '2026-05-06T09:10');
    await type(label, '12026-05-06T09:10');
    await type(label, '');
    expect(change.mock.calls).toEqual([['2026-05-06T03:40:00.000Z'], [null]]);
  });

  it('expiry: keeps a time that clocks skip in its field, names it, and saves nothing before another one', async () => {
    const save = jest.fn();
    function Key() {
      queries.setQueryData(['me'], { business: { timezone: 'America/New_York' } });
      const [expiry, setExpiry] = useState<string | null>('2026-05-06T20:08:00.000Z');
      return (
        <Form onSubmit={() => save(expiry)}>
          <Field name="expires_at">
            <ExpiryField label="Expires" description="" value={expiry} onChange={setExpiry} />
          </Field>
          <Button type="submit">Save</Button>
        </Form>
      );
    }
    draw(<Key />);
    await type(/^Expires/, '2026-03-08T02:30');
    await screen.findByText('Clocks in America/New_York skip this time. Choose another one.');
    expect(screen.getByLabelText<HTMLInputElement>(/^Expires/).value).toBe('2026-03-08T02:30');
    await press('Save');
    expect(save).not.toHaveBeenCalled();
    await type(/^Expires/, '2026-03-08T03:30');
    expect(screen.queryByText(/skip this time/)).toBeNull();
    await press('Save');
    expect(save.mock.calls).toEqual([['2026-03-08T07:30:00.000Z']]);
  });

  it('a time relative to now shows the exact one and its zone on hovering', () => {
    function Time() {
      queries.setQueryData(['me'], { business: { timezone: 'Asia/Kolkata' } });
      return <RelativeTime at="2026-05-06T20:08:00.000Z" />;
    }
    draw(<Time />);
    expect(document.querySelector('time')?.title).toBe('May 7, 2026, 1:38:00 AM, Asia/Kolkata');
  });

  it('days begin at midnight in the zone', () => {
    jest.useFakeTimers({ now: Date.parse('2026-01-01T20:00:00Z') });
    const kolkata = (at: string) => [dayOf(at, 'Asia/Kolkata'), clockTime(at, 'Asia/Kolkata')];
    expect(kolkata('2026-01-01T18:30:00Z')).toEqual(['Today', '12:00 AM']);
    expect(kolkata('2026-01-01T18:29:00Z')).toEqual(['Yesterday', 'Jan 1, 11:59 PM']);
    expect(kolkata('2025-12-31T18:29:00Z')).toEqual(['Dec 31, 2025', 'Dec 31, 11:59 PM']);
    expect(dayOf('2026-01-01T18:29:00Z', 'UTC')).toBe('Today');
    jest.useRealTimers();
  });

  it('number: an emptied field stays empty, is refused, and takes the next number as it is typed', async () => {
    const save = jest.fn();
    function Limit() {
      const [value, setValue] = useState(5);
      return (
        <Form onSubmit={() => save(value)}>
          <Field name="limit">
            <NumberField label="Limit" min={0} value={value} onChange={setValue} />
          </Field>
          <Button type="submit">Save</Button>
        </Form>
      );
    }
    draw(<Limit />);
    await type('Limit', '');
    await press('Save');
    await screen.findByText('Limit is missing.');
    await type('Limit', '-5');
    await press('Save');
    await screen.findByText('Limit must be a number from 0.');
    await type('Limit', '12');
    await press('Save');
    expect(save.mock.calls).toEqual([[12]]);
  });

  it('password: needs eight characters, twice the same', async () => {
    const set = jest.fn();
    function Fields() {
      const [value, setValue] = useState(NO_PASSWORD);
      return (
        <Form onSubmit={set}>
          <NewPasswordFields value={value} onChange={setValue} />
          <Button type="submit">Set</Button>
        </Form>
      );
    }
    draw(<Fields />);
    await type(/^New password/, 'long enough');
    await type(/^Repeat/, 'long e');
    expect(document.body.textContent).not.toMatch(/differ/);
    await press('Set');
    expect(document.body.textContent).toContain('The passwords differ.');
    await type(/^Repeat/, 'short');
    expect(document.body.textContent).toContain('The passwords differ.');
    expect(set).not.toHaveBeenCalled();
    await type(/^Repeat/, 'long enough');
    await press('Set');
    expect(set).toHaveBeenCalledTimes(1);
  });

  it('query: requests a missing resource once, and offers no other try', async () => {
    function Resource() {
      const one = usePagedQuery({
        queryKey: ['gone'],
        load: (query) => request(api.GET('/api/client/erasures', { params: { query } })),
        rows: ({ erasures }) => erasures,
        refetchInterval: 5,
      });
      // Its refreshes show that the other one had time for its own.
      useQuery({ queryKey: ['clock'], queryFn: () => request(api.GET('/api/client/labels')), refetchInterval: 20 });
      return <QueryResult query={one}>{() => 'Found'}</QueryResult>;
    }
    let respond = (): unknown => new Refusal(404, { error: 'No resource has this id.', error_code: 'NOT_FOUND' });
    draw(<Resource />, {
      'GET /api/client/erasures': () => respond(),
      'GET /api/client/labels': () => ({ labels: [] }),
    });
    await screen.findByText('Nothing was found at this address');
    const times = (path: string) => requests.filter(({ route }) => route === `GET /api/client/${path}`).length;
    await waitFor(() => expect(times('labels')).toBeGreaterThan(3));
    expect([times('erasures'), screen.queryByRole('button', { name: 'Try again' })]).toEqual([1, null]);
    // A window that gets the focus loads it again.
    respond = () => new Promise(() => undefined);
    void queries.refetchQueries({ queryKey: ['gone'] });
    const before = times('labels');
    await waitFor(() => expect(times('labels')).toBeGreaterThan(before + 1));
    expect(times('erasures')).toBe(2);
    screen.getByText('Nothing was found at this address');
  });

  it('query: shows loading, the error with its request, and the data after another try', async () => {
    let fails = true;
    function List() {
      const list = usePagedQuery({
        queryKey: ['list'],
        load: (query) => request(api.GET('/api/client/erasures', { params: { query } })),
        rows: ({ erasures }) => erasures,
      });
      return (
        <>
          <QueryResult query={list}>{(rows) => rows.map(({ id }) => `row ${id};`)}</QueryResult>
          <LoadMore list={list}>Older</LoadMore>
        </>
      );
    }
    draw(<List />, {
      'GET /api/client/erasures': (_, url) => {
        if (fails) return new Refusal(403, { error: 'Not for you.', hint: 'Ask an owner.' });
        const cursor = url.searchParams.get('cursor');
        return { erasures: [{ id: cursor ?? 1 }], next_cursor: cursor ? null : '2' };
      },
    });
    expect(screen.getByLabelText('Loading')).toBeTruthy();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toMatch(/Not for you\..*Ask an owner\. Request req-1/);
    fails = false;
    await press('Try again');
    await screen.findByText('row 1;');
    await press('Older');
    await screen.findByText('row 1;row 2;');
    expect(screen.queryByText('Older')).toBeNull();
    expect(requests).toHaveLength(3);
  });

  it('query: waits as long as a 429 says, a minute at most, and shows a long wait at once', async () => {
    jest.useFakeTimers();
    let wait = '6';
    function List() {
      const query = useQuery({ queryKey: ['labels'], queryFn: () => request(api.GET('/api/client/labels')) });
      return <QueryResult query={query}>{({ labels }) => `${labels.length} labels`}</QueryResult>;
    }
    draw(<List />, { 'GET /api/client/labels': () => new Refusal(429, { error: 'Too many requests.' }, { 'retry-after': wait }) });
    const pass = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));
    await pass(5_900);
    expect([requests.length, screen.queryByText('Too many requests.')]).toEqual([1, null]);
    wait = '3600';
    await pass(500);
    expect(requests).toHaveLength(2);
    screen.getByText('Too many requests.');
    await pass(59_000);
    expect(requests).toHaveLength(2);
    await pass(1_500);
    expect(requests).toHaveLength(3);
    jest.useRealTimers();
  });

  it.each(['one resource', 'a list'])(
    'query: neither the interval of %s nor an event repeats it before a 503 permits that',
    async (kind) => {
      jest.useFakeTimers();
      const every = { queryKey: ['labels'], refetchInterval: 1_000 };
      const load = () => request(api.GET('/api/client/labels'));
      const loadPage = async () => ({ ...(await load()), next_cursor: null });
      function One() {
        return <QueryResult query={useQuery({ ...every, queryFn: load })}>{() => 'Loaded'}</QueryResult>;
      }
      function List() {
        return (
          <QueryResult query={usePagedQuery({ ...every, load: loadPage, rows: ({ labels }) => labels })}>{() => 'Loaded'}</QueryResult>
        );
      }
      const busy = new Refusal(503, { error: 'The service is busy.' }, { 'retry-after': '30' });
      draw(kind === 'a list' ? <List /> : <One />, { 'GET /api/client/labels': () => busy });
      const pass = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));
      await pass(28_000);
      await act(() => queries.invalidateQueries({ queryKey: ['labels'] }));
      await pass(1_000);
      expect(requests).toHaveLength(1);
      screen.getByText('The service is busy.');
      await pass(1_500);
      expect(requests).toHaveLength(2);
      jest.useRealTimers();
    },
  );

  it.each([503, 429])('query: keeps the error of a %i until the service responds again, without a click', async (status) => {
    jest.useFakeTimers();
    let respond = () => Promise.resolve<unknown>(new Refusal(status, { error: 'The service is busy.' }));
    function List() {
      const query = useQuery({ queryKey: ['labels'], queryFn: () => request(api.GET('/api/client/labels')) });
      return <QueryResult query={query}>{({ labels }) => `${labels.length} labels`}</QueryResult>;
    }
    draw(<List />, { 'GET /api/client/labels': () => respond() });
    const pass = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));
    await pass(5_000);
    screen.getByText('The service is busy.');
    let end = (_: unknown) => {};
    respond = () => new Promise((resolve) => (end = resolve));
    await pass(10_000);
    const button = screen.getByRole('button', { name: 'Try again' });
    expect([requests.length, screen.getByRole('alert').contains(button), button.hasAttribute('data-loading')]).toEqual([4, true, true]);
    end({ labels: [] });
    await pass(0);
    screen.getByText('0 labels');
    jest.useRealTimers();
  });

  it('first rows: a long list draws its next rows on demand, and searches all of them', async () => {
    const rows = Array.from({ length: 60 }, (_, i) => `Person ${i}`);
    draw(
      <FirstRows rows={rows} textOf={(name) => name} search="Name">
        {(shown) => shown.map((name) => <p key={name}>{name}</p>)}
      </FirstRows>,
    );
    const people = () => screen.queryAllByText(/^Person/).length;
    expect(people()).toBe(10);
    await press('Show more');
    expect([people(), screen.queryByText('Show more')]).toEqual([60, null]);
    await type('Name', ' PERSON 57');
    screen.getByText('Person 57');
    expect(people()).toBe(1);
    await type('Name', 'nobody');
    screen.getByText('No results');
  });

  it('search: reports typed text after a pause, and follows the address', () => {
    jest.useFakeTimers();
    const change = jest.fn();
    const { result, rerender } = renderHook(({ q }: { q?: string }) => useSearchText(q, change), { initialProps: {} });
    act(() => result.current[1](' silk '));
    expect(change).not.toHaveBeenCalled();
    act(() => jest.advanceTimersByTime(300));
    expect(change.mock.calls).toEqual([['silk']]);
    rerender({ q: 'silk' });
    expect(result.current[0]).toBe(' silk ');
    rerender({ q: 'cotton' });
    expect(result.current[0]).toBe('cotton');
    jest.useRealTimers();
  });

  it('search: a button clears the field, which keeps the focus', async () => {
    function Search() {
      const [text, setText] = useState('');
      return <SearchField label="Phone" value={text} onChange={setText} />;
    }
    draw(<Search />);
    expect(screen.queryByRole('button')).toBeNull();
    await type('Phone', '+1 201');
    expect(screen.getByRole('button', { name: 'Clear “Phone”' }).tabIndex).toBe(0);
    await press('Clear “Phone”');
    const field = screen.getByLabelText<HTMLInputElement>('Phone');
    expect([field.value, document.activeElement, screen.queryByRole('button')]).toEqual(['', field, null]);
  });

  it('link: closes by its own button only', async () => {
    const done = jest.fn();
    draw(
      <LinkShownOnce link={{ url: 'https://a/b', expires_at: new Date().toISOString(), message: 'Copy it.' }} title="Link" done={done} />,
    );
    fireEvent.keyDown(document.body, { key: 'Escape' });
    expect(screen.queryByRole('button', { name: /close/i })).toBeNull();
    await press('I have copied it');
    expect(done).toHaveBeenCalledTimes(1);
  });

  it('cap: names the keys whose cap is used up, and none that expired', async () => {
    const key = { revoked_at: null, expires_at: null, used_today: 150, daily_limit: 150 };
    const api_keys = [
      { ...key, name: 'CRM' },
      { ...key, name: 'Shop', used_today: 149 },
      { ...key, name: 'Old', expires_at: '2020-01-01T00:00:00Z' },
    ];
    draw(<CapBanner business={{ plan: 'Growth', timezone: 'Asia/Kolkata' } as never} />, {
      'GET /api/client/api-keys': () => ({ api_keys }),
    });
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(/used up: CRM.*with this key/));
  });

  it('cap: nothing is used of the cap of 0 that a plan without API sends has', () => {
    expect(shareOf({ used_today: 0, daily_limit: 0 } as never)).toBe(0);
  });

  it('time: an old date has the month in a word', () => {
    draw(<RelativeTime at="2020-03-01T12:00:00Z" />);
    expect(screen.getByText('Mar 1, 2020')).toBeTruthy();
  });

  it('time: counts the seconds of the first minute', () => {
    jest.useFakeTimers();
    draw(<RelativeTime at={new Date(Date.now() - 5_000).toISOString()} />);
    act(() => void jest.advanceTimersByTime(3_000));
    screen.getByText('8 seconds ago');
    jest.useRealTimers();
  });

  it.each([
    [-30_000, '30 seconds ago'],
    [-100_000, '2 minutes ago'],
    [7_200_000, 'in 2 hours'],
    [-86_400_000, 'yesterday'],
  ])('time: %i ms from now reads %s', (ms, text) => {
    draw(<RelativeTime at={new Date(Date.now() + ms).toISOString()} />);
    expect(screen.getByText(text)).toBeTruthy();
  });

  it.each([
    ['Asia/Kolkata', '2026-01-15T12:42:00Z', '5 h 48 min'],
    // This day has 25 hours.
    ['Europe/Berlin', '2026-10-24T22:30:00Z', '24 h 30 min'],
    // This day has 23 hours.
    ['Europe/Berlin', '2026-03-28T23:00:00Z', '23 h 0 min'],
    // The next day starts at 1:00.
    ['Africa/Cairo', '2026-04-23T20:00:00Z', '2 h 0 min'],
  ])('clock: in %s at %s a day still has %s', (zone, now, left) => expect(duration(untilMidnight(zone, Date.parse(now)))).toBe(left));

  it('clock: data that arrives between two ticks is drawn at the time of its arrival', () => {
    const { result, rerender } = renderHook(() => useNow());
    const later = Date.now() + 10_000;
    jest.spyOn(Date, 'now').mockReturnValue(later);
    rerender();
    expect(result.current).toBe(later);
  });

  it('clock: counts a long wait in days', () =>
    expect([47.5, 60, 72].map((hours) => duration(hours * 3_600_000))).toEqual(['47 h 30 min', '2 days', '3 days']));

  it.each([
    [0, 0, '–'],
    [0, 9, '0 %'],
    [2, 491, '< 1 %'],
    [490, 491, '> 99 %'],
    [491, 491, '100 %'],
    [1, 8, '13 %'],
  ])('number: %i of %i is %s, never 0 %% of some nor 100 %% of less than all', (part, whole, text) =>
    expect(percent(part, whole)).toBe(text),
  );

  it('decision 585: a page loads until its last query ended, even one that follows another, and not again', async () => {
    const client = new QueryClient();
    const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;
    const ends: ((value: string) => void)[] = [];
    const queryFn = () => new Promise<string>((end) => ends.push(end));
    const page = renderHook(
      ({ dialog }) => {
        const first = useQuery({ queryKey: ['first'], queryFn });
        useQuery({ queryKey: ['second'], queryFn, enabled: first.isSuccess });
        useQuery({ queryKey: ['dialog'], queryFn, enabled: dialog });
        return useFirstLoad();
      },
      { wrapper, initialProps: { dialog: false } },
    );
    expect(page.result.current).toBe(true);
    ends[0]?.('a');
    await waitFor(() => expect(ends).toHaveLength(2));
    expect(page.result.current).toBe(true);
    ends[1]?.('b');
    await waitFor(() => expect(page.result.current).toBe(false));
    page.rerender({ dialog: true });
    await waitFor(() => expect(ends).toHaveLength(3));
    expect(page.result.current).toBe(false);
    client.clear();
  });

  it('decision 779: a control that removes itself passes the focus to the next one that is drawn', async () => {
    function Page() {
      const main = useRef<HTMLElement>(null);
      const [isThere, setThere] = useState(true);
      useKeptFocus(main);
      return (
        <main ref={main}>
          <div>
            <div>
              <div>{isThere && <button onClick={() => setThere(false)}>Remove</button>}</div>
              <div>
                <input aria-label="For password managers" hidden />
                <button>Next</button>
              </div>
            </div>
          </div>
        </main>
      );
    }
    draw(<Page />);
    act(() => screen.getByRole('button', { name: 'Remove' }).focus());
    await press('Remove');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Next' })));
  });

  it('text: quotes cells of CSV and words of a shell', () => {
    expect(
      decodeURIComponent(
        csvFile([
          ['a', 'b "c", d'],
          [1, 'two\nlines'],
        ]),
      ),
    ).toContain('a,"b ""c"", d"\r\n1,"two\nlines"');
    expect(quoted("it's")).toBe(`'it'\\''s'`);
  });
});

/** Draws after each listener of a key press, as a browser does before it calls the next one. */
function drawBetweenListeners(): void {
  const add = window.addEventListener.bind(window);
  jest.spyOn(window, 'addEventListener').mockImplementation((name: string, listener: unknown, options?: unknown) => {
    const called = (event: Event) => flushSync(() => (listener as (event: Event) => void)(event));
    add(name, name === 'keydown' ? called : (listener as EventListener), options as AddEventListenerOptions);
  });
}
