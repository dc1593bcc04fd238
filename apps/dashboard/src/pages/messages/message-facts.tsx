import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { keyChains, keysQuery } from '../../api/api-keys';
import type { Schemas } from '../../api/client';
import { useMayCall } from '../../api/session';
import { CopyIcon } from '../../components/copy-icon';
import { Fact } from './fact';
import { messageCost } from './message-cost';
import { senderName } from './senders';

/** The sender of the message, its type, its ids and its conversation. */
export function MessageFacts({ message, cost }: Pick<Schemas['MessageDetail'], 'message' | 'cost'>) {
  const { message_id, type, template, language, sent_by, api_key_id, request_id, conversation_id } = message;
  const hasKeys = useMayCall('GET /api/client/api-keys');
  const keys = useQuery({ ...keysQuery, enabled: hasKeys && api_key_id !== null });
  const key = keyChains(keys.data?.api_keys ?? []).find(({ id }) => id === api_key_id)?.name ?? `no. ${api_key_id}`;
  return (
    <dl style={{ margin: 0, display: 'grid', gridTemplateColumns: 'max-content minmax(0, 1fr)', gap: '6px 16px', alignItems: 'center' }}>
      <Fact label="Type">{template === null ? type : `${type} ${template}${language === undefined ? '' : ` (${language})`}`}</Fact>
      <Fact label="Sent by">{api_key_id === null ? senderName(sent_by) : `${senderName(sent_by)}, key ${key}`}</Fact>
      <Fact label="Cost">{messageCost({ message, cost })}</Fact>
      <Fact label="Message id">
        <span>{message_id}</span> <CopyIcon value={message_id} label="Copy the message id" />
      </Fact>
      {request_id !== undefined && (
        <Fact label="Request id">
          <span>{request_id}</span> <CopyIcon value={request_id} label="Copy the request id" />
        </Fact>
      )}
      {conversation_id !== undefined && (
        <Fact label="Conversation">
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/inbox" search={{ id: String(conversation_id) }} />}>
            Open in the inbox
          </Anchor>
        </Fact>
      )}
    </dl>
  );
}
