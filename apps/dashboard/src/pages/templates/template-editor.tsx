import { Alert, Anchor, Button, Group, SimpleGrid } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, ApiError, notifySuccess, request, shownByForm } from '../../api/client';
import { ConfirmButton } from '../../components/confirm-button';
import { Form } from '../../components/form';
import { PageTitle } from '../../components/page-title';
import { ButtonsField } from './buttons-field';
import { EditorPreview } from './editor-preview';
import { HeaderFields } from './header-fields';
import { NamingFields } from './naming-fields';
import { StarterButtons } from './starter-buttons';
import { STARTERS } from './starters';
import { requestOf, type TemplateForm } from './template-form';
import { TextFields } from './text-fields';
import { useSample } from './use-sample';
import { isSame, useTemplateDraft } from './use-template-draft';

/**
 * Writes a template, with a preview while the person types.
 * @param id the template that it changes; null for a new one
 */
export function TemplateEditor({ id, initial, onDone }: { id: number | null; initial: TemplateForm; onDone: () => void }) {
  const draft = useTemplateDraft(id, initial);
  const { form } = draft;
  const save = useSave(id, form, draft.forget);
  const error = useMemo(() => atFields(save.error), [save.error]);
  const set = (change: Partial<TemplateForm>) => draft.change((now) => ({ ...now, ...change }));
  const sample = useSample((filename, handle) =>
    draft.change((now) => (now.media ? { ...now, media: { ...now.media, filename, handle } } : now)),
  );
  const startWith = (starter: TemplateForm) => {
    sample.clear();
    draft.change(({ language }) => ({ ...starter, language }));
  };
  const isUnchanged = [initial, ...STARTERS.map((one) => one.form)].some((one) => differsInLanguageAtMost(form, one));
  const discarding = {
    question: 'Discard what you entered?',
    consequence: 'Anything not saved or sent is lost.',
    onConfirm: () => {
      sample.clear();
      draft.forget();
    },
  };
  return (
    <>
      <PageTitle title={id === null ? 'New template' : `Edit ${initial.name}`} about="WhatsApp reviews each change, mostly within minutes">
        <Anchor component="button" type="button" size="sm" onClick={onDone}>
          All templates
        </Anchor>
      </PageTitle>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Form onSubmit={() => save.mutate(undefined, { onSuccess: onDone })} error={error}>
          {draft.isOutdated && (
            <Alert role="alert" color="yellow" title="This template changed since you began">
              What you entered replaces the present template when you submit it.
              <Group gap="xs" mt="xs">
                <Button size="xs" variant="default" onClick={draft.keep}>
                  Keep what I entered
                </Button>
                <ConfirmButton size="xs" variant="default" {...discarding}>
                  Use the present template
                </ConfirmButton>
              </Group>
            </Alert>
          )}
          {id === null && <StarterButtons asks={!isUnchanged} onChoose={startWith} />}
          <NamingFields form={form} isNew={id === null} onChange={set} />
          {form.category === 'AUTHENTICATION' ? (
            <Alert title="WhatsApp writes this text">
              It reads “123456 is your verification code. For your security, do not share this code.” and has a button that copies the code,
              which is valid for 10 minutes.
            </Alert>
          ) : (
            <>
              <HeaderFields form={form} sample={sample} onChange={set} />
              <TextFields form={form} onChange={set} />
              <ButtonsField buttons={form.buttons} onChange={(buttons) => set({ buttons })} />
            </>
          )}
          <Group justify="flex-end">
            {draft.isChanged && (
              <ConfirmButton variant="default" {...discarding}>
                Discard
              </ConfirmButton>
            )}
            <Button type="submit" loading={save.isPending} disabled={sample.progress !== null}>
              Submit for review
            </Button>
          </Group>
        </Form>
        <EditorPreview form={form} sample={sample.file} />
      </SimpleGrid>
    </>
  );
}

function useSave(id: number | null, form: TemplateForm, onSaved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => {
      const { name, language, ...content } = requestOf(form);
      return id === null
        ? request(api.POST('/api/client/templates', { body: { name, language, ...content } }))
        : request(api.PUT('/api/client/templates/{id}', { params: { path: { id } }, body: content }));
    },
    onSuccess: ({ message }) => {
      notifySuccess(message);
      onSaved();
      void queries.invalidateQueries({ queryKey: ['templates'] });
    },
    onError: shownByForm,
  });
}

const differsInLanguageAtMost = (form: TemplateForm, other: TemplateForm): boolean => isSame(form, { ...other, language: form.language });

/** Names the field of the editor for each fault. A fault of the number of examples stands at their text. */
function atFields(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const details = error.details.map(({ field, message }) => {
    if (field === 'header.example') return { field, message: 'Choose a sample.' };
    return { field: field.replace(/^examples\./, ''), message };
  });
  return new ApiError(error.status, error.code, error.message, details, error.hint, error.requestId);
}
