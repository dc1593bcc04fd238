import { PlatformPreference, type EventEnvelope } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { userIdOf, waIdOf } from '@mgw/phone';
import { platformTime } from './platform-time';

/** One element of `user_preferences` (platform §4.6). */
export interface CallbackPreference {
  wa_id?: string;
  user_id?: string;
  category?: string;
  value?: string;
  timestamp?: number | string;
}

/** @throws Error if the preference is invalid */
export function preferenceEvent(
  businessId: number,
  phoneNumberId: string,
  preference: CallbackPreference,
): EventEnvelope<typeof PlatformPreference> {
  const said_at = platformTime(preference.timestamp);
  const { category = '', value = '' } = preference;
  const phone = waIdOf(preference.wa_id);
  // A user id may come in the field of a phone (platform §4.7).
  const user_id = userIdOf(preference.user_id) ?? userIdOf(preference.wa_id);
  if (phone === null && user_id === null) throw new Error('the preference names no person');
  return newEvent(PlatformPreference, {
    id: `platform.preference:${businessId}:${user_id ?? phone}:${category}:${value}:${said_at}`,
    at: said_at,
    business_id: businessId,
    key: `person:${businessId}:${phone ?? user_id}`,
    data: { phone_number_id: phoneNumberId, from: { phone, user_id, name: '' }, category, value, said_at },
  });
}
