import { clockTime } from '../../components/clock-time';
import { PhoneBubble } from '../../components/phone-bubble';
import { messageDetails } from './message-details';
import { reactionsTo } from './reactions';
import type { ThreadMessage } from './thread-message';

/** @param messages all messages that are loaded, for quotes and reactions */
export function MessageBubble({ message, messages }: { message: ThreadMessage; messages: ThreadMessage[] }) {
  const { details, text } = messageDetails(message, messages);
  return (
    <PhoneBubble
      mine={message.direction === 'out'}
      text={text}
      footer={message.interactive?.description ?? null}
      deleted={message.deleted_at !== undefined}
      reactions={reactionsTo(message.message_id, messages)}
      meta={
        <>
          {message.sent_by === 'ai' && 'AI · '}
          {clockTime(message.at)}
          {message.deleted_at ? ' · deleted by the customer' : message.edited_at && ' · edited'}
          {message.context?.forwarded && ' · forwarded'}
          {message.delivery_status && ` · ${message.delivery_status}`}
          {message.failure_reason && ` · ${message.failure_reason}`}
        </>
      }
    >
      {details}
    </PhoneBubble>
  );
}
