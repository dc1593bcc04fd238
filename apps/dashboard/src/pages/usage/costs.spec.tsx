/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { cleanup, screen, within } from '@testing-library/react';
import { money, sumMoney } from '../../components/money';
import { queries } from '../../api/client';
import { draw, press, Refusal, sent, type } from '../../page.fixture';
import { AutoReplyForm } from '../auto-reply/auto-reply-form';
import { CostEstimate } from '../broadcasts/cost-estimate';
import { messageCost } from '../messages/message-cost';
import { RateCardPage } from '../rate-card/rate-card-page';
import { costsCsv } from './billing';
import { UsageCosts } from './usage-costs';

const line = { day: '2026-10-31', category: 'utility', type: 'regular', billable: true, count: 2 };

describe('costs on the dashboard (decisions 521, 522, 524)', () => {
  it('adds decimals without rounding, and shows small prices exactly', () => {
    expect(sumMoney(['0.1', '0.2', '9007199254740993', '0.000001'])).toBe('9007199254740993.300001');
    expect([money('0.0118', 'USD'), money('1234.5', 'INR'), money('2', null)]).toEqual(['$0.0118', '₹1,234.50', '2.00']);
  });

  it('usage: sums categories and months, names a part of a month by its days, and never shows a missing rate as an amount', () => {
    const free = { ...line, day: '2026-11-01', billable: false, type: 'free_entry_point', count: 1 };
    const billing = [{ ...line, cost: '0.23' }, { ...line, count: 3 }, { ...line, day: '2026-11-02', count: 4 }, free];
    draw(<UsageCosts usage={[{ delivered: 12 } as never]} billing={billing} currency="INR" from="2026-10-01" to="2026-11-26" />);
    const [categories, months, days] = screen.getAllByRole('table') as [HTMLElement, HTMLElement, HTMLElement];
    const rows = (table: HTMLElement) =>
      within(table)
        .getAllByRole('row')
        .slice(1)
        .map(({ textContent }) => textContent);
    expect(within(categories).getAllByRole('columnheader')[0]?.textContent).toMatch(/^Category, Oct 1.–.Nov 26, 2026$/);
    // On a phone, each card shows the short name beside the cell.
    expect(categories.style.getPropertyValue('--column-1')).toBe('"Category"');
    expect(rows(categories)).toEqual(['utility917₹0.23']);
    expect(rows(months)).toEqual([expect.stringMatching(/^Nov 1.–.26, 2026414No rate$/), 'October 2026503₹0.23']);
    expect(rows(days)).toEqual([
      'Nov 1, 2026utilityFree: free entry point1Free',
      'Nov 2, 2026utilityCharged4No rate',
      'Oct 31, 2026utilityCharged3No rate',
      'Oct 31, 2026utilityCharged2₹0.23',
    ]);
    screen.getByText(/^2 delivered messages without a price/);
    expect(decodeURIComponent(costsCsv(billing.slice(0, 2), 'INR'))).toContain(
      'charged,2,0.23,INR\r\n2026-10-31,utility,regular,charged,3,,',
    );
  });

  it('message: names the cost, or why there is none', () => {
    const cost = { amount: '0.115', currency: 'INR' };
    const shown = (billing: object | undefined, delivery_status: string, amount?: typeof cost) =>
      messageCost({ message: { billing, delivery_status }, cost: amount } as never);
    const regular = { category: 'utility', type: 'regular', billable: true };
    expect([
      shown(undefined, 'sent'),
      shown({ ...regular, type: 'free_entry_point', billable: false }, 'read'),
      shown(regular, 'sent'),
      shown(regular, 'failed'),
      shown(regular, 'read'),
      shown(regular, 'delivered', cost),
    ]).toEqual([
      'WhatsApp has not reported a price',
      'Free as utility (free entry point)',
      'Charged as utility when it is delivered',
      'Not charged, because it failed',
      'Charged as utility; the rate card has no rate',
      '₹0.115 as utility',
    ]);
  });

  it('broadcast: estimates by country and names what is unknown', () => {
    const india = { market: '91', name: 'India', count: 1_000, price: '0.8631', cost: '863.1' };
    const estimate = { currency: 'INR', cost: '863.1', without_rate: 0, markets: [india] };
    const text = (shown: typeof estimate | object | null) => {
      cleanup();
      draw(<CostEstimate estimate={shown as never} category="MARKETING" />);
      return document.body.textContent;
    };
    expect(text(estimate)).toMatch(/Estimated cost: ₹863\.10.*\+91 India: 1,000 × ₹0\.8631 = ₹863\.10/);
    const jamaica = { market: '1876', name: 'Jamaica', count: 2, price: null, cost: null };
    expect(text({ ...estimate, without_rate: 2, markets: [india, jamaica] })).toMatch(
      /at least ₹863\.10.*no rate for 2 recipients in Jamaica/,
    );
    expect(text(estimate)).toContain('An estimate in INR by the rate card, if all messages are delivered and charged as marketing');
    expect(text({ ...estimate, without_rate: 2, markets: [jamaica] })).toContain('Estimated cost: no rate');
    expect(text({ ...estimate, currency: null })).toContain('has not entered WhatsApp’s prices yet');
    expect(text(null)).toContain('cannot be estimated now');
  });

  it('rate card: shows the faults of a file, and saves after a question', async () => {
    let fails = true;
    const fault = { field: 'row 2: price', message: 'must be a price' };
    const rate = { prefix: '91', market: 'India', category: 'utility', price: '0.115', valid_from: '2026-10-01' };
    draw(<RateCardPage />, {
      'GET /api/admin/rate-card': () => ({ currency: 'INR', rates: [rate], csv: 'prefix' }),
      'PUT /api/admin/rate-card': () => (fails ? new Refusal(400, { error: 'Wrong.', details: [fault] }) : { message: 'Rate card saved.' }),
    });
    await screen.findByText('₹0.115');
    const input = document.querySelector('input[type=file]') as HTMLInputElement;
    const file = new File(['prefix,currency'], 'card.csv', { type: 'text/csv' });
    Object.assign(file, { text: () => Promise.resolve('prefix,currency') });
    const { fireEvent } = await import('@testing-library/react');
    fireEvent.change(input, { target: { files: [file] } });
    await screen.findByRole('button', { name: 'CSV file: card.csv' });
    screen.getByRole('button', { name: 'Remove the file' });
    const save = async () => {
      await press('Save the rate card');
      const dialog = await screen.findByRole('dialog', { name: 'Replace the rates from today on?' });
      await press('Save the rate card', 'button', dialog);
    };
    await save();
    await screen.findByText('row 2: price must be a price');
    fails = false;
    await save();
    await screen.findByText('Rate card saved.');
    expect(sent()).toEqual(Array(2).fill({ route: 'PUT /api/admin/rate-card', body: { csv: 'prefix,currency', replace_all: false } }));
  });

  it('auto-reply: sends the cost limit as text, and nothing for a wrong amount', async () => {
    const settings = { enabled: true, instructions: '', model: 'm', base_url: null, daily_limit: 1, daily_cost_limit: null };
    const costs = { currency: 'INR' };
    function Form() {
      queries.setQueryData(['me'], { user: { id: 1, role: 'owner' }, business: { id: 1 } });
      return <AutoReplyForm settings={{ ...settings, costs, quiet_when_agent_active_minutes: 1, show_typing: false } as never} />;
    }
    draw(<Form />, {
      'PUT /api/client/auto-reply': () => ({ message: 'Saved.', api_key_removed: false }),
    });
    await type(/^Cost limit/, '12,5');
    await press('Save');
    screen.getByText(/^Write an amount/);
    expect(sent()).toEqual([]);
    await type(/^Cost limit/, '12.50');
    await press('Save');
    await screen.findByText('Saved.');
    expect(sent()).toMatchObject([{ body: { daily_cost_limit: '12.50' } }]);
  });
});
