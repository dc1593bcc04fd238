import { Button, Textarea, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Field } from '../../components/field';
import { variablesOf, type TemplateForm } from './template-form';

/** The body of a template, an example for each of its variables, and the footer. */
export function TextFields({ form, onChange }: { form: TemplateForm; onChange: (change: Partial<TemplateForm>) => void }) {
  const examples = (['header', 'body'] as const).flatMap((part) =>
    variablesOf(part === 'header' && form.media ? '' : form[part]).map((name) => ({ key: `${part} ${name}`, part, name })),
  );
  const nextVariable = () => `{{${variablesOf(form.body).length + 1}}}`;
  return (
    <>
      <Field name="body">
        <Textarea
          label="Body"
          description={`${form.body.length} of 1,024 characters. A variable such as {{1}} is filled in for each person.`}
          required
          autosize
          minRows={4}
          maxLength={1024}
          value={form.body}
          onChange={(e) => onChange({ body: e.currentTarget.value })}
        />
      </Field>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} />}
        style={{ alignSelf: 'flex-start' }}
        onClick={() => onChange({ body: `${form.body}${/\s$|^$/.test(form.body) ? '' : ' '}${nextVariable()} ` })}
      >
        Add a variable
      </Button>
      {examples.map(({ key, part, name }) => (
        <Field key={key} name={`example of ${key}`}>
          <TextInput
            label={`Example for {{${name}}}${part === 'header' ? ' in the header' : ''}`}
            required
            value={form.examples[key] ?? ''}
            onChange={(e) => onChange({ examples: { ...form.examples, [key]: e.currentTarget.value } })}
          />
        </Field>
      ))}
      <Field name="footer">
        <TextInput
          label="Footer"
          description="Optional, at most 60 characters"
          maxLength={60}
          value={form.footer}
          onChange={(e) => onChange({ footer: e.currentTarget.value })}
        />
      </Field>
    </>
  );
}
