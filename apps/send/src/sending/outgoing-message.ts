import type { Sender, SentDetails } from '@mgw/contracts';
import type { MessageRequest } from '@mgw/platform-api';
import type { IntentDraft } from '../intents/intent';

/** A message as its kind builds it. SendPipeline handles what all kinds have in common. */
export interface OutgoingMessage {
  sender: Sender;
  to: string;
  type: IntentDraft['type'];
  template: { name: string; language: string; category: string; otherLanguages: string[] } | null;
  /** The text that the person reads; `text` of message.sent. */
  text: string;
  /** The content in addition to the text, for the thread. */
  details?: SentDetails;
  /** True for text and media (spec §3.2). */
  needsWindow: boolean;
  /** The message that this one quotes or reacts to, and the request's field that names it. */
  quotes: { field: string; messageId: string } | null;
  /** The file that it sends by id, and the request's field that names it. */
  file?: { field: string; mediaId: string } | null;
  /** Stores data that must exist before the platform call. */
  beforeCall?(intentId: string): Promise<void>;
  /** @param callbackData the intent's id, which status callbacks return */
  request(callbackData: string): MessageRequest;
}
