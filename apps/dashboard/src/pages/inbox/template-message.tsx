import { Anchor, Button, Select, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { api, request, shownByForm, type Schemas } from '../../api/client';
import { keyOfRequest, newIdempotencyKey } from '../../api/idempotency-key';
import { useMayCall } from '../../api/session';
import { Form } from '../../components/form';
import { QueryResult } from '../../components/query-result';
import { useIsMounted } from '../../components/use-is-mounted';
import type { Template } from '../templates/template-values';
import { useTemplateValues } from '../templates/use-template-values';

type Content = Pick<Schemas['TemplateContent'], 'template_name' | 'language' | 'body_params' | 'header_params' | 'button_params'>;

interface TemplateMessageProps {
  /** @param keyOf the Idempotency-Key of a body */
  send: (content: Content, keyOf: (body: object) => string) => Promise<Schemas['SendResult']>;
  /** Runs even after the form is gone. */
  onSent?: (result: Schemas['SendResult'], isFormOpen: boolean) => void;
  onClose: () => void;
  /** Further fields of the form. */
  children?: ReactNode;
}

/** Chooses a template, fills it in and sends it. */
export function TemplateMessage(props: TemplateMessageProps) {
  const templates = useQuery({ queryKey: ['templates'], queryFn: () => request(api.GET('/api/client/templates')) });
  return (
    <QueryResult query={templates} rows={1}>
      {({ templates: all }) => <ChosenTemplate templates={all} {...props} />}
    </QueryResult>
  );
}

function ChosenTemplate({ templates, ...props }: TemplateMessageProps & { templates: Template[] }) {
  const [chosen, choose] = useState<string | null>(null);
  const [seed] = useState(newIdempotencyKey);
  const mayCreate = useMayCall('POST /api/client/templates');
  // A code goes out by the API only.
  const usable = templates.filter(({ status, category }) => status === 'APPROVED' && category !== 'AUTHENTICATION');
  const template = usable.find(({ id }) => String(id) === chosen);
  if (usable.length === 0)
    return (
      <Text size="sm">
        No template is approved yet.{' '}
        {mayCreate && (
          <Anchor component={Link} to="/templates" search={{ edit: 'new' } as never} size="sm" underline="always">
            Write one
          </Anchor>
        )}
        {mayCreate ? '; it' : 'It'} appears here when WhatsApp has approved it.
      </Text>
    );
  return (
    <Stack>
      <Select
        label="Template"
        placeholder="Name"
        searchable
        autoFocus
        data-autofocus
        nothingFoundMessage="No approved template has this name."
        data={usable.map(({ id, name, language }) => ({ value: String(id), label: `${name} (${language})` }))}
        value={chosen}
        onChange={choose}
      />
      {template && <FilledTemplate key={template.id} template={template} seed={seed} {...props} />}
    </Stack>
  );
}

function FilledTemplate({ template, seed, send, onSent, onClose, children }: TemplateMessageProps & { template: Template; seed: string }) {
  const queries = useQueryClient();
  const { body_params, header_params, button_params, isFilled, bubble, fields } = useTemplateValues(template);
  const isMounted = useIsMounted();
  const sending = useMutation({
    mutationFn: () => {
      const { name: template_name, language } = template;
      return send({ template_name, language, body_params, header_params, button_params }, (body) => keyOfRequest(seed, body));
    },
    onError: shownByForm,
    onSuccess: (result) => {
      void queries.invalidateQueries({ queryKey: ['inbox'] });
      onSent?.(result, isMounted.current);
    },
  });
  return (
    <Form onSubmit={() => sending.mutate(undefined, { onSuccess: onClose })} error={sending.error}>
      {bubble}
      {children}
      {fields}
      <Button type="submit" leftSection={<IconSend size={16} />} loading={sending.isPending} disabled={!isFilled}>
        Send
      </Button>
    </Form>
  );
}
