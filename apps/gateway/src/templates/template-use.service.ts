import { Injectable } from '@nestjs/common';
import { CountTemplates, MAX_COUNTED_TEMPLATES } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { BusinessesStore } from '../businesses/businesses.store';
import { zoneInForce } from '../businesses/zones';
import { queryOptional } from '../requests/optional-query';

/** How often templates were sent in the business's last seven days, which the home page and the message log count too. */
@Injectable()
export class TemplateUse {
  constructor(
    private readonly rpc: RpcClient,
    private readonly businesses: BusinessesStore,
  ) {}

  /** @returns the count by name; null for a name whose count is not known */
  async counter(business_id: number): Promise<(name: string) => number | null> {
    const timezone = zoneInForce(await this.businesses.get(business_id));
    const counted = await queryOptional(this.rpc, CountTemplates, { business_id, timezone });
    const sent = new Map(counted?.templates.map((template) => [template.name, template.sent]));
    const others = counted === null || counted.templates.length === MAX_COUNTED_TEMPLATES ? null : 0;
    return (name) => sent.get(name) ?? others;
  }
}
