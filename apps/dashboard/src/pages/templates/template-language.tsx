import { Alert, Button, Group, Text } from '@mantine/core';
import { PhoneBubble } from '../../components/phone-bubble';
import { StateBadge } from '../../components/state-badge';
import { Wallpaper } from '../../components/wallpaper';
import { qualityOf, rejectionOf } from './plain-words';
import { TemplateChanges } from './template-changes';
import { labelsOf, templateShown, type Template } from './template-values';

/** A template in one language, as a phone shows it, with its state. */
export function TemplateLanguage({ template, onFill, onEdit }: { template: Template; onFill: () => void; onEdit: () => void }) {
  const quality = qualityOf(template.quality);
  return (
    <div>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Text size="xs" c="dimmed">
          {template.language} · {template.category.toLowerCase()}
          {quality && ` · ${quality}`}
        </Text>
        <StateBadge of={template.status} />
      </Group>
      <Wallpaper>
        <PhoneBubble
          header={template.header_text ?? (template.header_type && `[${template.header_type.toLowerCase()}]`)}
          text={template.content}
          footer={template.footer_text}
          buttons={labelsOf(template)}
        />
      </Wallpaper>
      {template.status === 'REJECTED' && (
        <Alert color="red" mt="sm" title="WhatsApp rejected it">
          {rejectionOf(template.rejected_reason)}
        </Alert>
      )}
      <Group mt="sm" gap="xs">
        <Button
          variant="light"
          px="sm"
          aria-label={`Fill in and test ${templateShown(template)}`}
          onClick={onFill}
          disabled={template.status !== 'APPROVED'}
        >
          Fill in and test
        </Button>
        <TemplateChanges template={template} onEdit={onEdit} />
      </Group>
    </div>
  );
}
