import { Alert, Anchor, Button, Group, Select, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, ApiError, notifyError, notifySuccess, request } from '../../api/client';
import { useKeptState } from '../../api/use-kept-state';
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
  { value: 'UTILITY', label: 'Utility: about an order, an appointment or an account' },
  { value: 'MARKETING', label: 'Marketing: offers and news' },
  { value: 'AUTHENTICATION', label: 'Authentication: one-time codes' },
];
const LANGUAGES = ['en', 'en_US', 'en_GB', 'hi', 'ta', 'te', 'kn', 'ml', 'mr', 'gu', 'bn', 'de', 'es', 'fr', 'pt_BR', 'it', 'ar', 'id'];
const MAX_BUTTONS = 10;

/**
 * Writes a template, with a preview while the person types.
 * @param id the template that it changes; null for a new one
 */
export function TemplateEditor({ id, initial, onDone }: { id: number | null; initial: TemplateForm; onDone: () => void }) {
  const queries = useQueryClient();
  const [form, setForm, forgetForm] = useKeptState(`template ${id ?? `new ${initial.name}`}`, initial);
  const fields = useRef<HTMLDivElement>(null);
  const save = useMutation({
    mutationFn: () => {
      const { name, language, ...content } = requestOf(form);
      return id === null
        ? request(api.POST('/api/client/templates', { body: { name, language, ...content } }))
        : request(api.PUT('/api/client/templates/{id}', { params: { path: { id } }, body: content }));
    },
    onSuccess: ({ message }) => {
      notifySuccess(message);
      forgetForm();
      void queries.invalidateQueries({ queryKey: ['templates'] });
      onDone();
    },
    onError: (error) => {
      if (!(error instanceof ApiError) || error.details.length === 0) notifyError(error);
    },
  });
  const details = save.error instanceof ApiError ? save.error.details : [];
  useEffect(() => {
    if (save.isError) fields.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [save.error]);
  const errorOf = (...names: string[]) => {
    const found = details.filter(({ field }) => names.includes(field)).map(({ message }) => message);
    return found.length === 0 ? null : found.join('; ');
  };
  const set = (change: Partial<TemplateForm>) => setForm((now) => ({ ...now, ...change }));
  const sample = useSample((filename, handle) =>
    setForm((now) => (now.media ? { ...now, media: { ...now.media, filename, handle } } : now)),
  );
  const pictureUrl = useObjectUrl(form.media?.type === 'image' ? sample.file : null);
  const isCode = form.category === 'AUTHENTICATION';
  const examples = (['header', 'body'] as const).flatMap((part) =>
    variablesOf(part === 'header' && form.media ? '' : form[part]).map((name) => ({ key: `${part} ${name}`, part, name })),
  );
  const nextVariable = () => `{{${variablesOf(form.body).length + 1}}}`;
  return (
    <>
      <PageTitle title={id === null ? 'New template' : `Edit ${initial.name}`} about="WhatsApp reviews each change, mostly within minutes">
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => {
            forgetForm();
            onDone();
          }}
        >
          All templates
        </Anchor>
      </PageTitle>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" ref={fields}>
        <Stack>
          {id === null && (
            <Group gap="xs">
              <Text size="sm">Start with</Text>
              {STARTERS.map(({ label, form: starter }) => (
                <Button
                  key={label}
                  size="xs"
                  variant="default"
                  onClick={() => {
                    sample.clear();
                    setForm({ ...starter, language: form.language });
                  }}
                >
                  {label}
                </Button>
              ))}
            </Group>
          )}
          <Group grow align="flex-start">
            <TextInput
              label="Name"
              description="Lower-case letters, digits and _"
              maxLength={512}
              disabled={id !== null}
              value={form.name}
              error={errorOf('name')}
              onChange={(e) => set({ name: e.currentTarget.value.toLowerCase().replaceAll(/[ -]/g, '_') })}
            />
            <Select
              label="Language"
              description="The one that you write in"
              searchable
              disabled={id !== null}
              placeholder="Choose one"
              data={form.language === '' || LANGUAGES.includes(form.language) ? LANGUAGES : [form.language, ...LANGUAGES]}
              value={form.language || null}
              error={errorOf('language')}
              onChange={(language) => language && set({ language })}
            />
          </Group>
          <Select
            label="Category"
            allowDeselect={false}
            data={CATEGORIES}
            value={form.category}
            error={errorOf('category')}
            onChange={(category) => set({ category: category as TemplateForm['category'] })}
          />
          {isCode ? (
            <Alert title="WhatsApp writes this text">
              It reads “123456 is your verification code. For your security, do not share this code.” and has a button that copies the code,
              which is valid for 10 minutes.
            </Alert>
          ) : (
            <>
              <HeaderFields form={form} sample={sample} errorOf={errorOf} onChange={set} />
              <Textarea
                label="Body"
                description={`${form.body.length} of 1,024 characters. A variable such as {{1}} is filled in for each person.`}
                autosize
                minRows={4}
                maxLength={1024}
                value={form.body}
                error={errorOf('body')}
                onChange={(e) => set({ body: e.currentTarget.value })}
              />
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
                <TextInput
                  key={key}
                  label={`Example for {{${name}}}${part === 'header' ? ' in the header' : ''}`}
                  value={form.examples[key] ?? ''}
                  error={!form.examples[key] && errorOf(`examples.${part}`)}
                  onChange={(e) => set({ examples: { ...form.examples, [key]: e.currentTarget.value } })}
                />
              ))}
              <TextInput
                label="Footer"
                description="Optional, at most 60 characters"
                maxLength={60}
                value={form.footer}
                error={errorOf('footer')}
                onChange={(e) => set({ footer: e.currentTarget.value })}
              />
              {form.buttons.map((button, i) => (
                <ButtonFields
                  key={i}
                  nth={i + 1}
                  button={button}
                  errorOf={(name) => errorOf(`buttons.${i}.${name}`)}
                  onChange={(change) => set({ buttons: form.buttons.map((one, at) => (at === i ? { ...one, ...change } : one)) })}
                  onRemove={() => set({ buttons: form.buttons.filter((_, at) => at !== i) })}
                />
              ))}
              {errorOf('buttons') && (
                <Text size="sm" c="red" role="alert">
                  Buttons {errorOf('buttons')}
                </Text>
              )}
              <Button
                size="xs"
                variant="default"
                leftSection={<IconPlus size={14} />}
                style={{ alignSelf: 'flex-start' }}
                disabled={form.buttons.length >= MAX_BUTTONS}
                onClick={() => set({ buttons: [...form.buttons, { ...EMPTY_BUTTON, type: 'quick_reply' }] })}
              >
                Add a button
              </Button>
            </>
          )}
          <Group justify="flex-end">
            <Button
              loading={save.isPending}
              disabled={form.name === '' || form.language === '' || sample.progress !== null}
              onClick={() => save.mutate()}
            >
              Submit for review
            </Button>
          </Group>
        </Stack>
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
