import { Controller } from '@nestjs/common';
import { EstimateCost, GetCosts, GetRateCard, SetRateCard, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { CostsStore } from './costs.store';
import { RateCardStore } from './rate-card.store';

@Controller()
export class CostsHandlers {
  constructor(
    private readonly store: CostsStore,
    private readonly card: RateCardStore,
  ) {}

  @Handles(GetCosts)
  costs(request: RequestOf<typeof GetCosts>): Promise<ResponseOf<typeof GetCosts>> {
    return this.store.costs(request);
  }

  @Handles(EstimateCost)
  estimate(request: RequestOf<typeof EstimateCost>): Promise<ResponseOf<typeof EstimateCost>> {
    return this.store.estimate(request);
  }

  @Handles(GetRateCard)
  show(): Promise<ResponseOf<typeof GetRateCard>> {
    return this.card.get();
  }

  @Handles(SetRateCard)
  set(request: RequestOf<typeof SetRateCard>): Promise<ResponseOf<typeof SetRateCard>> {
    return this.card.set(request);
  }
}
