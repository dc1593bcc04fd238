import { Controller } from '@nestjs/common';
import { GetSendSettings, SetSendSettings, type SendSettings } from '@mgw/contracts';
import { Handles, type Handler } from '@mgw/rpc';
import { SettingsStore } from './settings.store';

@Controller()
export class SettingsHandlers {
  constructor(private readonly settings: SettingsStore) {}

  @Handles(GetSendSettings)
  get: Handler<typeof GetSendSettings> = async ({ business_id }) =>
    (await this.settings.forBusinesses([business_id])).get(business_id) as SendSettings;

  @Handles(SetSendSettings)
  set: Handler<typeof SetSendSettings> = ({ business_id, ...settings }) => this.settings.set(business_id, settings);
}
