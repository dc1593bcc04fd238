import { Body, Controller, Get, Put } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { GatewayError, GetSendSettings, SendSettings, SetSendSettings } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore } from '../audit/audit.store';
import { BusinessesService } from '../businesses/businesses.service';
import { BusinessesStore } from '../businesses/businesses.store';
import { zoneFields, ZONE_FIELDS } from '../businesses/zones';
import { withoutNulls } from '../requests/without-nulls';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { ChangeSettingsRequest } from './settings.requests';

const SettingsResponse = Type.Object({ ...ZONE_FIELDS, require_totp: Type.Boolean(), ...SendSettings.properties }, { title: 'Settings' });

/** A business's settings: time zone, opt-out and opt-in words, codes for opted-out contacts, read receipts (decisions 18, 20, 45). */
@Controller('api/client/settings')
@NeedsSession()
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
    const [business, settings] = await Promise.all([this.businesses.get(business_id), this.rpc.call(GetSendSettings, { business_id })]);
    return { ...zoneFields(business), require_totp: business.require_totp, ...settings };
  }

  @Put()
  @Responds(Done, 'Change settings; absent fields stay unchanged')
  async change(@CurrentUser() user: BusinessUser, @Body() request: ChangeSettingsRequest) {
    const { timezone, require_totp, ...settings } = withoutNulls(request);
    if (require_totp !== undefined && user.role !== 'owner')
      throw new GatewayError('PERMISSION_DENIED', 'Only owner may change require_totp.');
    const change = { ...(timezone !== undefined && { timezone }), ...(require_totp !== undefined && { require_totp }) };
    if (Object.keys(change).length > 0) await this.changes.change(user, user.business_id, change);
    if (Object.keys(settings).length > 0) {
      const { user_id, business_id } = user;
      await this.audit.record({ user_id, business_id, action: 'settings.changed', target: null, detail: settings }, () =>
        this.rpc.call(SetSendSettings, { ...settings, business_id }),
      );
    }
    return { message: 'Settings saved.' };
  }
}
