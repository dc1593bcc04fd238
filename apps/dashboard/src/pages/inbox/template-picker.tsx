import { api, request } from '../../api/client';
import { FormModal } from '../../components/form-modal';
import { TemplateMessage } from './template-message';

/** Sends a template to the customer of a conversation. */
export function TemplatePicker({ opened, onClose, conversationId }: { opened: boolean; onClose: () => void; conversationId: number }) {
  return (
    <FormModal opened={opened} onClose={onClose} title="Send a template" size="lg">
      <TemplateMessage
        send={(body, keyOf) => {
          const params = { path: { id: conversationId }, header: { 'Idempotency-Key': keyOf(body) } };
          return request(api.POST('/api/client/conversations/{id}/templates', { params, body }));
        }}
        onClose={onClose}
      />
    </FormModal>
  );
}
