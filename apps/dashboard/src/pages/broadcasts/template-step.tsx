import { Button, Select, Stack, Text } from '@mantine/core';
import { PhoneBubble } from '../../components/phone-bubble';
import { Wallpaper } from '../../components/wallpaper';
import { labelsOf, type Template } from '../templates/template-values';
import { useDraft } from './draft';
import { fieldsOf, mapByNames, type Mapping } from './mapping';

export function TemplateStep({ templates, chosen, onNext }: { templates: Template[]; chosen: Template | undefined; onNext: () => void }) {
  const { draft, change } = useDraft();
  const choose = (template: string | null) => {
    const next = templates.find(({ name, language }) => `${name}/${language}` === template);
    if (!next) return;
    // Another language keeps the values of its variables' names. The values of another template have other meanings, so it has its own mapping.
    const name = draft.template?.split('/')[0] ?? '';
    const mappings = { ...draft.others, [name]: draft.mapping };
    const before = mappings[next.name] ?? {};
    const fields = fieldsOf(next);
    // A variable that only this language has takes no column by its place.
    const own = Object.keys(before).length > 0 ? fields.filter(({ isOptional }) => !isOptional).map(({ key }) => [key, null] as const) : [];
    const kept: Mapping = { ...Object.fromEntries(own), ...before };
    change({ template, others: mappings, mapping: { ...kept, ...(draft.table && mapByNames(fields, draft.table.names, kept)) } });
  };
  return (
    <Stack>
      <Select
        label="Template"
        placeholder="Name"
        searchable
        allowDeselect={false}
        nothingFoundMessage="No approved template has this name."
        data={templates.map(({ name, language }) => ({ value: `${name}/${language}`, label: `${name} (${language})` }))}
        value={chosen ? draft.template : null}
        onChange={choose}
      />
      {templates.length === 0 && <Text size="sm">No template is approved yet. It appears here when WhatsApp has approved it.</Text>}
      {chosen && (
        <>
          <Text size="sm" c="dimmed">
            WhatsApp charges each message as {chosen.category.toLowerCase()}.
          </Text>
          <Wallpaper>
            <PhoneBubble
              header={chosen.header_text ?? (chosen.header_type && `[${chosen.header_type.toLowerCase()}]`)}
              text={chosen.content}
              footer={chosen.footer_text}
              buttons={labelsOf(chosen)}
            />
          </Wallpaper>
        </>
      )}
      <Button disabled={!chosen} onClick={onNext} style={{ alignSelf: 'flex-end' }}>
        Continue to recipients
      </Button>
    </Stack>
  );
}
