import { Alert, Anchor, Button, Group, Input, Select, SimpleGrid, Text, Textarea, TextInput, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, ApiError, notifySuccess, request, shownByForm } from '../../api/client';
import { changed } from '../../api/use-form-changes';
import { useKeptState } from '../../api/use-kept-state';
import { ConfirmButton } from '../../components/confirm-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { PageTitle } from '../../components/page-title';
import { PhoneBubble } from '../../components/phone-bubble';
import { useObjectUrl } from '../../components/use-object-url';
import { Wallpaper } from '../../components/wallpaper';
import { STARTERS } from './starters';
import { ButtonFields } from './button-fields';
import { HeaderFields } from './header-fields';
import { MediaHeader } from './media-header';
import { EMPTY_BUTTON, requestOf, variablesOf, withExamples, type TemplateForm } from './template-form';
import { useSample } from './use-sample';

const CATEGORIES = [
  { value: 'UTILITY', label: 'Utility: orders, appointments, accounts' },
  { value: 'MARKETING', label: 'Marketing: offers and news' },
  { value: 'AUTHENTICATION', label: 'Authentication: one-time codes' },
];
const LANGUAGES = ['en', 'en_US', 'en_GB', 'hi', 'ta', 'te', 'kn', 'ml', 'mr', 'gu', 'bn', 'de', 'es', 'fr', 'pt_BR', 'it', 'ar', 'id'];
const MAX_BUTTONS = 10;

/** The entries of the person, and the template as it was when they began. */
interface Draft {
  base: TemplateForm;
  form: TemplateForm;
}

/**
 * Writes a template, with a preview while the person types. The draft stays in the tab until it is submitted or discarded.
 * @param id the template that it changes; null for a new one
 */
export function TemplateEditor({ id, initial, onDone }: { id: number | null; initial: TemplateForm; onDone: () => void }) {
  const queries = useQueryClient();
  const [draft, setDraft, forgetDraft] = useKeptState<Draft | null>(`template draft ${id ?? `new ${initial.name}`}`, null);
  const form = draft?.form ?? initial;
  const setForm = (next: (now: TemplateForm) => TemplateForm) =>
    setDraft((now) => {
      const { base, form } = now ?? { base: initial, form: initial };
      const written = next(form);
      return isSame(base, written) ? null : { base, form: written };
    });
  const save = useMutation({
    mutationFn: () => {
      const { name, language, ...content } = requestOf(form);
      return id === null
        ? request(api.POST('/api/client/templates', { body: { name, language, ...content } }))
        : request(api.PUT('/api/client/templates/{id}', { params: { path: { id } }, body: content }));
    },
    onSuccess: ({ message }) => {
      notifySuccess(message);
      forgetDraft();
      void queries.invalidateQueries({ queryKey: ['templates'] });
    },
    onError: shownByForm,
  });
  const error = useMemo(() => atFields(save.error), [save.error]);
  const set = (change: Partial<TemplateForm>) => setForm((now) => ({ ...now, ...change }));
  const sample = useSample((filename, handle) =>
    setForm((now) => (now.media ? { ...now, media: { ...now.media, filename, handle } } : now)),
  );
  const pictureUrl = useObjectUrl(form.media?.type === 'image' ? sample.file : null);
  /** The place of the button that the person added last. */
  const [added, setAdded] = useState<number>();
  /** The starter that waits for the answer. */
  const [asked, ask] = useState<TemplateForm | null>(null);
  const startWith = (starter: TemplateForm) => {
    sample.clear();
    setForm(({ language }) => ({ ...starter, language }));
  };
  const isUnchanged = [initial, ...STARTERS.map((one) => one.form)].some((one) => differsInLanguageAtMost(form, one));
  const discarding = {
    question: 'Discard what you entered?',
    consequence: 'Anything not saved or sent is lost.',
    onConfirm: () => {
      sample.clear();
      forgetDraft();
    },
  };
  const isCode = form.category === 'AUTHENTICATION';
  const examples = (['header', 'body'] as const).flatMap((part) =>
    variablesOf(part === 'header' && form.media ? '' : form[part]).map((name) => ({ key: `${part} ${name}`, part, name })),
  );
  const nextVariable = () => `{{${variablesOf(form.body).length + 1}}}`;
  return (
    <>
      <PageTitle title={id === null ? 'New template' : `Edit ${initial.name}`} about="WhatsApp reviews each change, mostly within minutes">
        <Anchor component="button" type="button" size="sm" onClick={onDone}>
          All templates
        </Anchor>
      </PageTitle>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Form onSubmit={() => save.mutate(undefined, { onSuccess: onDone })} error={error}>
          {draft && !isSame(draft.base, initial) && (
            <Alert role="alert" color="yellow" title="This template changed since you began">
              What you entered replaces the present template when you submit it.
              <Group gap="xs" mt="xs">
                <Button size="xs" variant="default" onClick={() => setDraft({ base: initial, form })}>
                  Keep what I entered
                </Button>
                <ConfirmButton size="xs" variant="default" {...discarding}>
                  Use the present template
                </ConfirmButton>
              </Group>
            </Alert>
          )}
          {id === null && (
            <Group gap="xs">
              <Text size="sm">Start with</Text>
              {STARTERS.map(({ label, form: starter }) => (
                <Button key={label} size="xs" variant="default" onClick={() => (isUnchanged ? startWith(starter) : ask(starter))}>
                  {label}
                </Button>
              ))}
              <ConfirmDialog
                opened={asked !== null}
                question="Replace what you entered?"
                consequence="Anything not saved or sent is lost."
                action="Replace"
                onConfirm={() => asked && startWith(asked)}
                onClose={() => ask(null)}
              />
            </Group>
          )}
          <Group grow align="flex-start">
            <Field name="name">
              <TextInput
                label="Name"
                description="Lower-case letters, digits and _"
                required
                maxLength={512}
                disabled={id !== null}
                value={form.name}
                onChange={(e) => set({ name: e.currentTarget.value.toLowerCase().replaceAll(/[ -]/g, '_') })}
              />
            </Field>
            <Field name="language">
              <Select
                label="Language"
                description="The one that you write in"
                searchable
                required
                disabled={id !== null}
                placeholder="Choose one"
                data={form.language === '' || LANGUAGES.includes(form.language) ? LANGUAGES : [form.language, ...LANGUAGES]}
                value={form.language || null}
                onChange={(language: string | null) => language && set({ language })}
              />
            </Field>
          </Group>
          <Field name="category">
            <Select
              label="Category"
              allowDeselect={false}
              data={CATEGORIES}
              value={form.category}
              onChange={(category: string | null) => set({ category: category as TemplateForm['category'] })}
            />
          </Field>
          {isCode ? (
            <Alert title="WhatsApp writes this text">
              It reads “123456 is your verification code. For your security, do not share this code.” and has a button that copies the code,
              which is valid for 10 minutes.
            </Alert>
          ) : (
            <>
              <HeaderFields form={form} sample={sample} onChange={set} />
              <Field name="body">
                <Textarea
                  label="Body"
                  description={`${form.body.length} of 1,024 characters. A variable such as {{1}} is filled in for each person.`}
                  required
                  autosize
                  minRows={4}
                  maxLength={1024}
                  value={form.body}
                  onChange={(e) => set({ body: e.currentTarget.value })}
                />
              </Field>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconPlus size={14} />}
                style={{ alignSelf: 'flex-start' }}
                onClick={() => set({ body: `${form.body}${/\s$|^$/.test(form.body) ? '' : ' '}${nextVariable()} ` })}
              >
                Add a variable
              </Button>
              {examples.map(({ key, part, name }) => (
                <Field key={key} name={`example of ${key}`}>
                  <TextInput
                    label={`Example for {{${name}}}${part === 'header' ? ' in the header' : ''}`}
                    required
                    value={form.examples[key] ?? ''}
                    onChange={(e) => set({ examples: { ...form.examples, [key]: e.currentTarget.value } })}
                  />
                </Field>
              ))}
              <Field name="footer">
                <TextInput
                  label="Footer"
                  description="Optional, at most 60 characters"
                  maxLength={60}
                  value={form.footer}
                  onChange={(e) => set({ footer: e.currentTarget.value })}
                />
              </Field>
              {form.buttons.map((button, i) => (
                <ButtonFields
                  key={i}
                  nth={i + 1}
                  isNew={i === added}
                  button={button}
                  onChange={(change) => set({ buttons: form.buttons.map((one, at) => (at === i ? { ...one, ...change } : one)) })}
                  onRemove={() => set({ buttons: form.buttons.filter((_, at) => at !== i) })}
                />
              ))}
              <Field name="buttons">
                <Input.Wrapper label="Buttons" labelElement="div">
                  <Button
                    display="block"
                    mt={4}
                    size="xs"
                    variant="default"
                    leftSection={<IconPlus size={14} />}
                    disabled={form.buttons.length >= MAX_BUTTONS}
                    onClick={() => {
                      setAdded(form.buttons.length);
                      set({ buttons: [...form.buttons, { ...EMPTY_BUTTON, type: 'quick_reply' }] });
                    }}
                  >
                    Add a button
                  </Button>
                </Input.Wrapper>
              </Field>
            </>
          )}
          <Group justify="flex-end">
            {!isSame(initial, form) && (
              <ConfirmButton variant="default" {...discarding}>
                Discard
              </ConfirmButton>
            )}
            <Button type="submit" loading={save.isPending} disabled={sample.progress !== null}>
              Submit for review
            </Button>
          </Group>
        </Form>
        <div style={{ position: 'sticky', top: 72, alignSelf: 'start' }}>
          <Title order={2} size="h5" mb="xs">
            Preview
          </Title>
          <Wallpaper>
            <PhoneBubble
              header={isCode || form.media ? null : withExamples('header', form.header, form.examples)}
              text={
                isCode
                  ? '*123456* is your verification code. For your security, do not share this code.'
                  : withExamples('body', form.body, form.examples)
              }
              footer={isCode ? 'This code expires in 10 minutes.' : form.footer}
              buttons={isCode ? ['Copy code'] : form.buttons.map(({ text }) => text || 'Button')}
            >
              {!isCode && form.media && <MediaHeader type={form.media.type} name={form.media.filename} url={pictureUrl} />}
            </PhoneBubble>
          </Wallpaper>
        </div>
      </SimpleGrid>
    </>
  );
}

const isSame = (form: TemplateForm, other: TemplateForm): boolean => Object.keys(changed(other, form)).length === 0;

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
