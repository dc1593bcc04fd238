import { Type } from '@sinclair/typebox';
import {
  CheckBroadcast,
  CheckRetry,
  CostSummary,
  Currency,
  EstimateCost,
  GetBroadcast,
  ListBroadcasts,
  ListRecipients,
  Nullable,
  Suppressed,
} from '@mgw/contracts';

const { broadcast, ...progress } = GetBroadcast.response.properties;
const listed = ListBroadcasts.response.properties;
const cost = {
  cost: Nullable({
    ...Type.Object({ currency: Nullable(Currency), ...CostSummary.properties }),
    description: 'By the rate card. Null until WhatsApp has reported prices, and while costs are not available.',
  }),
};
export const BroadcastsResponse = Type.Object(
  {
    broadcasts: Type.Array(Type.Object({ ...listed.broadcasts.items.properties, ...cost })),
    next_cursor: listed.next_cursor,
  },
  { title: 'Broadcasts' },
);
export const BroadcastResponse = Type.Object({ ...broadcast.properties, ...progress, ...cost }, { title: 'Broadcast' });
const { recipients, next_cursor } = ListRecipients.response.properties;
export const RecipientsResponse = Type.Object(
  { recipients: Type.Array(Type.Omit(recipients.items, ['body_params', 'header_params', 'button_params'])), next_cursor },
  { title: 'BroadcastRecipients' },
);
const estimated = EstimateCost.response.properties;
const ESTIMATE = 'If all messages are delivered and charged, by the rate card on the day of the start. Null while costs are not available.';
const estimate = {
  estimate: Nullable({
    ...Type.Object({
      currency: estimated.currency,
      cost: estimated.cost,
      markets: Type.Array(Type.Object({ name: Type.String({ description: 'The countries.' }), ...estimated.markets.items.properties }), {
        description: 'Valid recipients who did not opt out, by calling code, the largest market first; `*` has those of unknown countries.',
      }),
      without_rate: Type.Integer({ description: 'Recipients for whom the card has no rate, so that `cost` lacks them.' }),
    }),
    description: ESTIMATE,
  }),
};
const checked = Type.Omit(CheckBroadcast.response, ['markets', 'suppressed']).properties;
export const CheckResponse = Type.Object({ ...checked, suppressed: Suppressed, ...estimate }, { title: 'BroadcastCheck' });
const { total, daily_limit, category } = CheckRetry.response.properties;
export const RetryCheckResponse = Type.Object(
  { total, suppressed: Suppressed, daily_limit, category, ...estimate },
  { title: 'BroadcastRetryCheck' },
);
