import { Type, type Static } from '@sinclair/typebox';
import { Id, Nullable } from './fields';
import { operation } from './operation';

/** A word of the platform, or `unknown`. */
const Word = Type.String({ pattern: '^[a-z0-9_-]{1,40}$' });

/** How the platform prices a message (platform §4.5): the member `pricing` of its statuses. */
export const Billing = Type.Object({
  billable: Type.Boolean({ description: 'Whether WhatsApp charges the message, once it is delivered.' }),
  category: { ...Word, description: '`marketing`, `utility`, `authentication`, `service`, or another word of WhatsApp.' } as typeof Word,
  type: { ...Word, description: '`regular`, `free_customer_service`, `free_entry_point`, or another word of WhatsApp.' } as typeof Word,
});
export type Billing = Static<typeof Billing>;

/** An amount or a price, never a floating-point number. */
export const Money = Type.String({ pattern: '^[0-9]{1,20}([.][0-9]{1,6})?$', description: 'A decimal number.', examples: ['12.4'] });
export const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.', examples: ['INR'] });

/** Delivered messages of one day, category and type. */
export const UsageBilling = Type.Object({
  day: Type.String({ description: '`YYYY-MM-DD` in the business’s time zone.' }),
  ...Billing.properties,
  count: Type.Integer(),
  cost: Type.Optional({
    ...Money,
    description: 'By the operator’s rate card. Absent for free messages, and where the card has no rate.',
  } as typeof Money),
});
export type UsageBilling = Static<typeof UsageBilling>;

/** The cost of delivered messages. */
export const CostSummary = Type.Object({
  cost: { ...Money, description: 'The sum of the messages that have a rate.' } as typeof Money,
  charged: Type.Integer({ description: 'Delivered messages that WhatsApp charges.' }),
  free: Type.Integer({ description: 'Delivered messages that WhatsApp does not charge.' }),
  without_rate: Type.Integer({ description: 'Charged messages for which the rate card has no rate.' }),
});
export type CostSummary = Static<typeof CostSummary>;

/** Maximum number of markets of one estimate; there are fewer. */
const MAX_MARKETS = 500;
const Market = Type.String({ pattern: '^([0-9]{1,4}|[*])$' });

/** The expected cost of messages of one category to recipients of each market, at the rates of a day. */
export const EstimateCost = operation('status', 'estimate', {
  isRead: true,
  request: Type.Object({
    category: Word,
    /** `YYYY-MM-DD` in the business's time zone. */
    day: Type.String(),
    markets: Type.Array(Type.Object({ market: Market, count: Type.Integer({ minimum: 1 }) }), { maxItems: MAX_MARKETS }),
  }),
  response: Type.Object({
    currency: Nullable(Currency),
    /** The sum of the markets that have a rate. */
    cost: Money,
    markets: Type.Array(Type.Object({ market: Market, count: Type.Integer(), price: Nullable(Money), cost: Nullable(Money) })),
  }),
});

/** The costs of broadcasts, or of a sender's messages in a period. Days are those of the time zone. */
export const GetCosts = operation('status', 'costs', {
  isRead: true,
  request: Type.Object({
    business_id: Id,
    timezone: Type.String(),
    of: Type.Union([
      Type.Object({ broadcast_ids: Type.Array(Id, { maxItems: 100 }) }),
      Type.Object({ sent_by: Type.String(), from: Type.String(), to: Type.String() }),
    ]),
  }),
  /** `broadcast_id` is absent in the costs of a sender. Those without priced messages are left out. */
  response: Type.Object({
    currency: Nullable(Currency),
    costs: Type.Array(Type.Object({ broadcast_id: Type.Optional(Id), ...CostSummary.properties })),
  }),
});

/** Maximum number of rates of the card. */
export const MAX_RATES = 10_000;

/** The price of a delivered message of a category to a market, from a day on. */
export const Rate = Type.Object({
  prefix: {
    ...Market,
    description: 'The digits of a country’s calling code, or `*` for all markets without a rate of their own.',
  } as typeof Market,
  market: Type.String({ maxLength: 60, description: 'A name for people.' }),
  category: Word,
  price: Money,
  valid_from: Type.String({ description: '`YYYY-MM-DD`, in the time zone of each business.' }),
});
export type Rate = Static<typeof Rate>;

export const RateFault = Type.Object({ row: Type.Integer({ minimum: 1 }), field: Type.String(), message: Type.String() });
export type RateFault = Static<typeof RateFault>;

export const GetRateCard = operation('status', 'get-rate-card', {
  isRead: true,
  request: Type.Object({}),
  response: Type.Object({ currency: Nullable(Currency), rates: Type.Array(Rate) }),
});

/**
 * Replaces the rates from today on and adds past ones where none applied, because costs of past days must not change. `replace_all` replaces
 * the past too. Stores nothing if there are faults.
 */
export const SetRateCard = operation('status', 'set-rate-card', {
  request: Type.Object({
    currency: Currency,
    rates: Type.Array(Type.Object({ ...Rate.properties, row: Type.Integer({ minimum: 1 }) }), { minItems: 1, maxItems: MAX_RATES }),
    replace_all: Type.Boolean(),
  }),
  response: Type.Object({ faults: Type.Array(RateFault), added: Type.Integer(), removed: Type.Integer() }),
  deadlineMs: 15_000,
});
