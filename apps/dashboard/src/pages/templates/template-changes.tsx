import { Button, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, notifySuccess, request } from '../../api/client';
import { useMayCall } from '../../api/session';
import { ConfirmButton } from '../../components/confirm-button';
import { editFault } from './template-form';
import { templateShown, type Template } from './template-values';

/** Edits and deletes a template, for people who may. */
export function TemplateChanges({ template, onEdit }: { template: Template; onEdit: () => void }) {
  const queries = useQueryClient();
  const mayChange = useMayCall('PUT /api/client/templates/{id}');
  const remove = useMutation({
    mutationFn: () => request(api.DELETE('/api/client/templates/{id}', { params: { path: { id: template.id } } })),
    onSuccess: ({ message }) => {
      notifySuccess(message);
      void queries.invalidateQueries({ queryKey: ['templates'] });
    },
  });
  if (!mayChange) return null;
  const fault = editFault(template);
  return (
    <>
      <Tooltip label={fault} disabled={fault === null}>
        <Button
          variant="default"
          px="sm"
          aria-label={`Edit ${templateShown(template)}`}
          data-disabled={fault !== null || undefined}
          aria-disabled={fault !== null}
          onClick={() => fault === null && onEdit()}
        >
          Edit
        </Button>
      </Tooltip>
      <ConfirmButton
        variant="subtle"
        px="sm"
        color="red"
        loading={remove.isPending}
        aria-label={`Delete ${templateShown(template)}`}
        question={`Delete ${templateShown(template)}?`}
        consequence="Broadcasts and requests that use it will fail. WhatsApp keeps the name for 30 days."
        onConfirm={() => remove.mutate()}
      >
        Delete
      </ConfirmButton>
    </>
  );
}
