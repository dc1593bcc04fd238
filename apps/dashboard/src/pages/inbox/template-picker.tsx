import { api, request } from '../../api/client';
import { FormModal } from '../../components/form-modal';
import { TemplateMessage } from './template-message';

/** Sends a template to the customer of a conversation. @param onSent receives the message id */
export function TemplatePicker({
  opened,
  onClose,
  conversationId,
  onSent,
}: {
  opened: boolean;
  onClose: () => void;
  conversationId: number;
  onSent: (messageId: string) => void;
}) {
  return (
    <FormModal opened={opened} onClose={onClose} title="Send a template" size="lg">
      <TemplateMessage
        send={(body, keyOf) => {
          const params = { path: { id: conversationId }, header: { 'Idempotency-Key': keyOf(body) } };
          return request(api.POST('/api/client/conversations/{id}/templates', { params, body }));
        }}
        onSent={({ message_id }) => onSent(message_id)}
        onClose={onClose}
      />
    </FormModal>
  );
}
