import { Body, Controller, Get, Put } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { GetSendSettings, SendSettings, SetSendSettings } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { BusinessesService } from '../businesses/businesses.service';
import { BusinessesStore } from '../businesses/businesses.store';
import { shownZones, ZONES } from '../businesses/zones';
import { Responds } from '../responses/responds';
import { Done } from '../responses/done';
import { AuditStore } from '../audit/audit.store';
import { withoutNulls } from '../requests/without-nulls';
import { notFound } from '../requests/refusals';
import { CurrentUser, Roles, SessionOf } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { ChangeSettingsRequest } from './settings.requests';

const SettingsResponse = Type.Object({ ...ZONES, ...SendSettings.properties }, { title: 'Settings' });

/** A business's own settings: time zone, words for opting out and in, codes for people who opted out (product decisions 18, 20, 45). */
@Controller('api/client/settings')
@SessionOf('owner', 'member')
export class SettingsController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly businesses: BusinessesStore,
    private readonly changes: BusinessesService,
    private readonly audit: AuditStore,
  ) {}

  @Get()
  @Responds(SettingsResponse, 'Show the settings')
  async show(@CurrentUser() { business_id }: BusinessUser) {
    const [business, settings] = await Promise.all([this.businesses.find(business_id), this.rpc.call(GetSendSettings, { business_id })]);
    if (!business) throw notFound();
    return { ...shownZones(business), ...settings };
  }

  @Put()
  @Roles(['owner'])
  @Responds(Done, 'Change settings; what is left out stays')
  async change(@CurrentUser() user: BusinessUser, @Body() request: ChangeSettingsRequest) {
    const { timezone, ...settings } = withoutNulls(request);
    if (timezone !== undefined) await this.changes.change(user, user.business_id, { timezone });
    if (Object.keys(settings).length > 0) {
      await this.rpc.call(SetSendSettings, { business_id: user.business_id, ...settings });
      await this.audit.add({ user_id: user.user_id, business_id: user.business_id, action: 'settings.changed', detail: settings });
    }
    return { message: 'Settings saved.' };
  }
}
