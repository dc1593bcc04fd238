import { useState } from 'react';
import { PhoneBubble } from '../../components/phone-bubble';
import { Wallpaper } from '../../components/wallpaper';
import { MediaHeader } from './media-header';
import { mediaTypeOf } from './template-form';
import { TemplateValueFields } from './template-value-fields';
import { bodyFields, buttonFields, filledBody, filledHeader, headerFields, labelsOf, type Template } from './template-values';

/** The values of a template while a person fills it in, their fields, and the message as a phone shows it. */
export function useTemplateValues(template: Template) {
  const [headers, buttons] = [headerFields(template), buttonFields(template)];
  const [body_params, setBody] = useState<string[]>(template.variables.map(() => ''));
  const [headerValues, setHeader] = useState<string[]>(headers.map(() => ''));
  const [button_params, setButtons] = useState<string[]>(buttons.map(() => ''));
  const media = mediaTypeOf(template);
  const header_params = headerValues.filter((value, i) => value || !headers[i]?.isOptional);
  return {
    body_params,
    header_params,
    button_params,
    hasHeader: headers.length > 0,
    isFilled: [...body_params, ...header_params, ...button_params].every(Boolean),
    bubble: (
      <Wallpaper>
        <PhoneBubble
          header={filledHeader(template, headerValues)}
          text={filledBody(template, body_params)}
          footer={template.footer_text}
          buttons={labelsOf(template)}
        >
          {media && <MediaHeader type={media} name={headerValues[1] ?? ''} />}
        </PhoneBubble>
      </Wallpaper>
    ),
    fields: (
      <>
        <TemplateValueFields name="header_params" fields={headers} values={headerValues} onChange={setHeader} />
        <TemplateValueFields name="body_params" fields={bodyFields(template)} values={body_params} onChange={setBody} />
        <TemplateValueFields name="button_params" fields={buttons} values={button_params} onChange={setButtons} />
      </>
    ),
  };
}
