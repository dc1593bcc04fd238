import { DEFAULT_THEME, luminance } from '@mantine/core';
import { barLength, barNames, periodTotals, type MessageCounts } from '../../api/message-counts';
import { numberDetails } from '../../components/number-details';
import { countChange, rateChange } from './changes';
import { theme } from '../../theme';
import { PARTS, plotBars } from './plot-bars';

const NOTHING = { sent: 0, delivered: 0, read: 0, failed: 0, refused: 0 };
const counts = (more: Partial<MessageCounts>): MessageCounts => ({
  from: '2026-01-04T18:30:00.000Z',
  to: '2026-01-11T18:30:00.000Z',
  timezone: 'Asia/Kolkata',
  bar_minutes: 180,
  bars: [],
  previous: null,
  failures: [],
  ...more,
});

describe('the numbers of the home page (decision 440)', () => {
  it('sums bars to totals of which each includes the later steps', () => {
    const sender = { ...NOTHING, sent: 10, delivered: 7, read: 4, failed: 2, refused: 1 };
    const bars = [
      {
        at: '2026-01-04T18:30:00.000Z',
        counts: [
          { sent_by: 'api', ...sender },
          { sent_by: 'ai', ...NOTHING, sent: 1 },
        ],
      },
    ];
    expect(periodTotals(counts({ bars }))).toEqual({ accepted: 12, sent: 11, delivered: 7, read: 4, failed: 3 });
    // By the API, in broadcasts, by agents and AI, failed.
    expect(plotBars(counts({ bars })).map(({ values }) => values)).toEqual([[8, 0, 1, 3]]);
  });

  it('decision 765: each part of a bar differs from the page in the dark by 3:1', () => {
    const page = DEFAULT_THEME.colors.dark[7];
    const contrast = (color: string) => (luminance(color) + 0.05) / (luminance(page) + 0.05);
    const low = PARTS.filter(({ color, dark = color }) => {
      const [name = '', shade] = dark.split('-');
      return contrast({ ...DEFAULT_THEME.colors, ...theme.colors }[name]?.[Number(shade)] ?? '') < 3;
    });
    expect(low).toEqual([]);
  });

  it('names bars in the business’s zone and marks each day', () => {
    const bars = Array.from({ length: 24 }, (_, i) => ({
      at: new Date(Date.parse('2026-01-04T18:30:00Z') + i * 10_800_000).toISOString(),
      counts: [],
    }));
    const names = barNames(counts({ bars }));
    expect(names[1]).toEqual({ name: 'Mon, Jan 5, 03:00', mark: undefined });
    expect(names.flatMap(({ mark }) => mark ?? [])).toEqual(['Mon', 'Tue', 'Wed']);
    expect([15, 60, 180, 1_440].map((bar_minutes) => barLength(counts({ bar_minutes })))).toEqual(['15 minutes', 'hour', '3 hours', 'day']);
  });

  it('compares with the previous period, where a rise of failures is bad', () => {
    expect(countChange(112, 100)).toEqual({ text: '+12 %', isGood: true });
    expect(countChange(5, 0)).toBeNull();
    const [now, before] = [periodTotals(counts({})), { accepted: 100, sent: 100, delivered: 97, read: 0, failed: 3 }];
    expect(rateChange('delivered', 'sent', now, before)).toBeNull();
    expect(rateChange('failed', 'accepted', { ...before, failed: 5 }, before)).toEqual({ text: '+2', isGood: false });
    expect(rateChange('delivered', 'sent', { ...before, delivered: 98 }, before)).toEqual({ text: '+1', isGood: true });
  });

  it('puts WhatsApp’s words for a number into people’s', () => {
    const number = (messaging_limit: string | null) =>
      numberDetails({ display_phone_number: '14155550153', quality_rating: 'GREEN', messaging_limit });
    expect(number('TIER_10K')).toEqual({ phone: '+14155550153', quality: 'high', limit: '10,000 customers a day' });
    expect(number('TIER_UNLIMITED').limit).toBe('unlimited customers a day');
    expect(number('NEW_WORD').limit).toBeNull();
  });
});
