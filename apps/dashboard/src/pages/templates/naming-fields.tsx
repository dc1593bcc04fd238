import { Select, SimpleGrid, TextInput } from '@mantine/core';
import { Field } from '../../components/field';
import type { TemplateForm } from './template-form';

const CATEGORIES = [
  { value: 'UTILITY', label: 'Utility: orders, appointments, accounts' },
  { value: 'MARKETING', label: 'Marketing: offers and news' },
  { value: 'AUTHENTICATION', label: 'Authentication: one-time codes' },
];
const LANGUAGES = ['en', 'en_US', 'en_GB', 'hi', 'ta', 'te', 'kn', 'ml', 'mr', 'gu', 'bn', 'de', 'es', 'fr', 'pt_BR', 'it', 'ar', 'id'];

/** The name, language and category of a template. @param isNew whether the name and the language can still be chosen */
export function NamingFields({
  form,
  isNew,
  onChange,
}: {
  form: TemplateForm;
  isNew: boolean;
  onChange: (change: Partial<TemplateForm>) => void;
}) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'start' }}>
        <Field name="name">
          <TextInput
            label="Name"
            description="Lower-case letters, digits and _"
            required
            maxLength={512}
            disabled={!isNew}
            value={form.name}
            onChange={(e) => onChange({ name: e.currentTarget.value.toLowerCase().replaceAll(/[ -]/g, '_') })}
          />
        </Field>
        <Field name="language">
          <Select
            label="Language"
            description="The one that you write in"
            searchable
            required
            disabled={!isNew}
            placeholder="Choose one"
            data={form.language === '' || LANGUAGES.includes(form.language) ? LANGUAGES : [form.language, ...LANGUAGES]}
            value={form.language || null}
            onChange={(language: string | null) => language && onChange({ language })}
          />
        </Field>
      </SimpleGrid>
      <Field name="category">
        <Select
          label="Category"
          allowDeselect={false}
          data={CATEGORIES}
          value={form.category}
          onChange={(category: string | null) => onChange({ category: category as TemplateForm['category'] })}
        />
      </Field>
    </>
  );
}
