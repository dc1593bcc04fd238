import { Title } from '@mantine/core';
import { PhoneBubble } from '../../components/phone-bubble';
import { useObjectUrl } from '../../components/use-object-url';
import { Wallpaper } from '../../components/wallpaper';
import { MediaHeader } from './media-header';
import { withExamples, type TemplateForm } from './template-form';

/** The message that a person would receive. @param sample the chosen file of the header */
export function EditorPreview({ form, sample }: { form: TemplateForm; sample: File | null }) {
  const pictureUrl = useObjectUrl(form.media?.type === 'image' ? sample : null);
  const isCode = form.category === 'AUTHENTICATION';
  return (
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
  );
}
