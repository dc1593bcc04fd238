import { Controller } from '@nestjs/common';
import { GatewayError, GetAutoReply, SetAutoReply, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { Egress } from '@mgw/egress';
import { Handles } from '@mgw/rpc';
import { BusinessAccess } from './business-access.service';
import { SettingsStore } from './settings.store';

@Controller()
export class SettingsHandlers {
  constructor(
    private readonly settings: SettingsStore,
    private readonly businesses: BusinessAccess,
    private readonly egress: Egress,
  ) {}

  @Handles(GetAutoReply)
  async get({ business_id }: RequestOf<typeof GetAutoReply>): Promise<ResponseOf<typeof GetAutoReply>> {
    const settings = await this.settings.forBusiness(business_id);
    const { enabled, instructions, model, base_url, daily_limit, daily_cost_limit, quiet_when_agent_active_minutes, show_typing } =
      settings;
    const shown = { enabled, instructions, model, base_url, daily_limit, daily_cost_limit, quiet_when_agent_active_minutes, show_typing };
    const { timezone } = await this.businesses.find(business_id);
    const counted_today = await this.settings.countedToday(business_id, timezone);
    return { ...shown, has_api_key: settings.api_key_sealed !== null, counted_today };
  }

  @Handles(SetAutoReply)
  async set(request: RequestOf<typeof SetAutoReply>): Promise<ResponseOf<typeof SetAutoReply>> {
    if (typeof request.base_url === 'string') {
      const checked = await this.egress.checkAddress(request.base_url, String(request.business_id));
      if ('refused' in checked) {
        throw new GatewayError('VALIDATION_FAILED', `base_url ${checked.refused}.`, {
          details: [{ field: 'base_url', message: checked.refused }],
        });
      }
    }
    return this.settings.set(request);
  }
}
