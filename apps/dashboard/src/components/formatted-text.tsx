import { Anchor } from '@mantine/core';
import { Fragment, useMemo } from 'react';
import { formatText, type FormattedPart } from './format-text';

const TAGS = { bold: 'strong', italic: 'em', strike: 's', mono: 'code' } as const;

/** A text as WhatsApp shows it. */
export function FormattedText({ text }: { text: string }) {
  return <Parts parts={useMemo(() => formatText(text), [text])} />;
}

function Parts({ parts }: { parts: FormattedPart[] }) {
  return parts.map((part, i) => {
    if (typeof part === 'string') return <Fragment key={i}>{part}</Fragment>;
    if (part.kind === 'link')
      return (
        <Anchor key={i} href={part.url} target="_blank" rel="noopener noreferrer" inherit underline="always" c="inherit">
          {part.url}
        </Anchor>
      );
    const Tag = TAGS[part.kind];
    return (
      <Tag key={i}>
        <Parts parts={part.parts} />
      </Tag>
    );
  });
}
