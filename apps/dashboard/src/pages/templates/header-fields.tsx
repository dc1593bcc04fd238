import { Progress, Select, TextInput } from '@mantine/core';
import { Field } from '../../components/field';
import { FileField } from '../../components/file-field';
import { SAMPLES, type MediaType } from './sample-file';
import type { TemplateForm } from './template-form';
import type { useSample } from './use-sample';

const KINDS = [
  { value: 'text', label: 'Text' },
  { value: 'image', label: 'Picture' },
  { value: 'video', label: 'Video' },
  { value: 'document', label: 'Document' },
];

/** The header of a template: a text, or a file of which WhatsApp reviews a sample. */
export function HeaderFields({
  form: { header, media },
  sample: { file, progress, problem, choose, clear },
  onChange,
}: {
  form: TemplateForm;
  sample: ReturnType<typeof useSample>;
  onChange: (change: Partial<TemplateForm>) => void;
}) {
  return (
    <>
      <Select
        label="Kind of header"
        allowDeselect={false}
        data={KINDS}
        value={media?.type ?? 'text'}
        onChange={(kind) => {
          clear();
          onChange({ media: kind === 'text' ? null : { type: kind as MediaType, filename: '', handle: '' } });
        }}
      />
      {media ? (
        <Field name="header">
          <FileField
            label={SAMPLES[media.type].label}
            description={`WhatsApp reviews the template with it: ${SAMPLES[media.type].words}. Each message may carry another file.`}
            filename={file?.name ?? (media.filename || undefined)}
            accept={SAMPLES[media.type].types.join(',')}
            value={file}
            error={problem}
            onChange={(chosen: File | null) => {
              if (chosen) choose(media.type, chosen);
            }}
          />
        </Field>
      ) : (
        <Field name="header">
          <TextInput
            label="Header"
            description="Optional, at most 60 characters"
            maxLength={60}
            value={header}
            onChange={(e) => onChange({ header: e.currentTarget.value })}
          />
        </Field>
      )}
      {progress !== null && <Progress value={progress * 100} size={4} aria-label="Upload" />}
    </>
  );
}
