import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useZone } from '../../api/use-zone';
import { PhoneBubble } from '../../components/phone-bubble';
import { shownReason } from '../../components/shown-status';
import { timeOfDay } from '../../components/clock-time';
import { messageDetails } from './message-details';
import { offeredButtons } from './offered-choices';
import { reactionsTo } from './reactions';
import { StatusTicks } from './status-ticks';
import { authorOf, type ThreadMessage } from './thread-message';

/**
 * @param messages all messages that are loaded, for quotes and reactions
 * @param isFound whether a search found it
 * @param actions beside the bubble
 */
export function MessageBubble({
  message,
  messages,
  customer,
  isFound = false,
  actions,
}: {
  message: ThreadMessage;
  messages: ThreadMessage[];
  customer: string;
  isFound?: boolean;
  actions?: ReactNode;
}) {
  const zone = useZone();
  const { details, text } = messageDetails(message, messages, customer);
  const { direction, delivery_status, failure_reason, deleted_at, edited_at, context, offer, interactive, template, media } = message;
  const isMine = direction === 'out';
  const hasFailed = delivery_status === 'failed';
  const author = isMine ? authorOf(message) : customer;
  return (
    <div className="inbox-line" data-mine={isMine || undefined} aria-current={isFound || undefined}>
      <PhoneBubble
        mine={isMine}
        {...(hasFailed ? { look: 'failed' as const } : media?.type === 'sticker' && { look: 'bare' as const })}
        header={template}
        text={text}
        footer={interactive?.description ?? offer?.footer ?? null}
        deleted={deleted_at !== undefined}
        reactions={reactionsTo(message.message_id, messages)}
        buttons={offer ? offeredButtons(offer) : []}
        meta={
          <>
            {isMine ? (
              author && (
                <>
                  <bdi>{author}</bdi> ·{' '}
                </>
              )
            ) : (
              <VisuallyHidden>{customer} · </VisuallyHidden>
            )}
            {timeOfDay(message.at, zone)}
            {deleted_at ? ' · deleted by the customer' : edited_at && ' · edited'}
            {context?.forwarded && ' · forwarded'} <StatusTicks status={delivery_status} />
            {hasFailed && <div>Not delivered: {shownReason(failure_reason) ?? 'WhatsApp named no reason.'}</div>}
          </>
        }
      >
        {details}
      </PhoneBubble>
      {actions}
    </div>
  );
}
