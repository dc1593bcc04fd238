import { Controller } from '@nestjs/common';
import { GetSendSettings, SetSendSettings, type ReplyOf, type RequestOf, type SendSettings } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { SettingsStore } from './settings.store';

@Controller()
export class SettingsHandlers {
  constructor(private readonly settings: SettingsStore) {}

  @Handles(GetSendSettings)
  async get({ business_id }: RequestOf<typeof GetSendSettings>): Promise<ReplyOf<typeof GetSendSettings>> {
    return (await this.settings.forBusinesses([business_id])).get(business_id) as SendSettings;
  }

  @Handles(SetSendSettings)
  async set({ business_id, ...settings }: RequestOf<typeof SetSendSettings>): Promise<ReplyOf<typeof SetSendSettings>> {
    await this.settings.set(business_id, settings);
    return {};
  }
}
