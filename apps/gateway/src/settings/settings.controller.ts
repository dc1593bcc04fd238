import { Body, Controller, Get, Put } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { GatewayError, GetSendSettings, SendSettings, SetSendSettings } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore } from '../audit/audit.store';
import { BusinessesService } from '../businesses/businesses.service';
import { BusinessesStore } from '../businesses/businesses.store';
import { zoneFields, ZONE_FIELDS } from '../businesses/zones';
import { Optional } from '../requests/field-rules';
import { withoutNulls } from '../requests/without-nulls';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { ArrayMaxSize, IsArray, IsBoolean, IsString, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsText } from '../requests/is-text';

const WORDS_MAX = 50;
const WORD = { each: true, message: 'each word must have 1 to 50 characters' };

/** Absent fields stay unchanged. */
@JSONSchema({ example: { timezone: 'Asia/Kolkata', stop_words: ['STOP'], start_words: ['START'] } })
class ChangeSettingsRequest {
  /** IANA name; its midnight resets the daily cap. A new zone takes effect at the old zone's next midnight (decisions 20, 53). */
  @Optional(IsText(1, 64))
  timezone?: string | null;

  /** Messages that opt a contact out: the whole text, in any case (decision 45). */
  @Optional(IsArray(), ArrayMaxSize(WORDS_MAX), IsString(WORD), Length(1, 50, WORD))
  stop_words?: string[] | null;

  /** Messages that opt a contact in again. */
  @Optional(IsArray(), ArrayMaxSize(WORDS_MAX), IsString(WORD), Length(1, 50, WORD))
  start_words?: string[] | null;

  /** Whether one-time passwords go to opted-out contacts (decision 18). */
  @Optional(IsBoolean())
  otp_to_opted_out?: boolean | null;

  /** Whether a customer's messages are marked as read when a person opens the conversation in the inbox. */
  @Optional(IsBoolean())
  mark_read_on_open?: boolean | null;

  /** Whether every person of the business needs two-step login. Only owners change it. */
  @Optional(IsBoolean())
  require_totp?: boolean | null;
}

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
