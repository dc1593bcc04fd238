import type { Sender } from '@mgw/contracts';
import type { MessageRequest } from '@mgw/platform-api';
import type { IntentDraft } from '../intents/intent';

/** A message as far as its kind decides about it; what every kind has in common is in DeliveryService. */
export interface OutgoingMessage {
  sender: Sender;
  to: string;
  type: IntentDraft['type'];
  template: { name: string; language: string; category: string; otherLanguages: string[] } | null;
  /** What the person will read: `text` of message.sent. */
  text: string;
  /** Free-form messages need an open window (spec §3.2). */
  needsWindow: boolean;
  /** What must be stored before the platform is called. */
  beforeCall?(intentId: string): Promise<void>;
  /** @param callbackData the intent's id */
  request(callbackData: string): MessageRequest;
}
