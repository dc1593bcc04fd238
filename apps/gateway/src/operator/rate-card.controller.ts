import { Body, Controller, Get, Put } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { IsBoolean } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { GetRateCard, SetRateCard } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore } from '../audit/audit.store';
import { Optional } from '../requests/field-rules';
import { IsText } from '../requests/is-text';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { SessionUser } from '../sessions/session-user';
import { rateCardCsv, readRateCard, refuseFaults } from './rate-card-csv';

const MAX_CSV = 2_000_000;

@JSONSchema({
  example: {
    csv: 'prefix,market,currency,valid_from,marketing,utility,authentication,service\n91,India,INR,2027-01-01,0.8631,0.115,0.115,0.115\n*,,INR,2027-01-01,5.1,0.65,0.65,0.65',
  },
})
class SetRateCardRequest {
  /** A row per market and a column per category, or a row per price with the columns `category` and `price`. */
  @IsText(1, MAX_CSV)
  csv!: string;

  /** Replaces past rates too, so that costs of past days change. */
  @Optional(IsBoolean())
  replace_all?: boolean | null;
}

const RateCardResponse = Type.Object(
  {
    ...GetRateCard.response.properties,
    csv: Type.String({ description: 'The rates with their history, which PUT reads again.' }),
  },
  { title: 'RateCard' },
);

/** The price of messages by market and category (spec §10). */
@Controller('api/admin/rate-card')
@NeedsSession()
export class RateCardController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audit: AuditStore,
  ) {}

  @Get()
  @Responds(RateCardResponse, 'Show the rate card with its history')
  async show() {
    const { currency, rates } = await this.rpc.call(GetRateCard, {});
    return { currency, rates, csv: rateCardCsv(currency, rates) };
  }

  @Put()
  @Responds(Done, 'Replace the rates from today on; nothing is saved if a row is wrong')
  async set(@CurrentUser() { user_id }: SessionUser, @Body() { csv, replace_all }: SetRateCardRequest) {
    const card = { ...(await readRateCard(csv)), replace_all: replace_all ?? false };
    const detail = { rates: card.rates.length, currency: card.currency, replace_all: card.replace_all };
    const entry = { user_id, business_id: null, action: 'rate-card.set' as const, target: null, detail };
    const { added } = await this.audit.record(
      entry,
      async () => {
        const saved = await this.rpc.call(SetRateCard, card);
        refuseFaults(saved.faults);
        return saved;
      },
      ({ removed }) => ({ detail: { ...detail, removed } }),
    );
    return { message: `Rate card saved: ${added} rates are new or replaced.` };
  }
}
