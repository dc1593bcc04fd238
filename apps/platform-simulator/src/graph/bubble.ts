import type { GraphTemplate } from '@mgw/platform-api';
import type { Account } from '../accounts/accounts';
import type { MessageBody } from './message-body';
import { headerFile, hydrated } from './template-message-check';
import type { Bubble, Reply } from '../records/phones';

type BubbleView = Pick<Bubble, 'text' | 'buttons' | 'media_id'>;

interface Interactive {
  type: string;
  body?: { text: string };
  action: {
    buttons?: { reply: { id: string; title: string } }[];
    sections?: { rows?: { id: string; title: string; description?: string }[] }[];
    parameters?: { display_text?: string; url?: string };
  };
}

/** A valid message of the business as the phone shows it. */
export function bubbleOf(account: Account, message: MessageBody): BubbleView {
  const content = (message[message.type] ?? {}) as Record<string, unknown>;
  const plain = (text: unknown): BubbleView => ({ text: String(text ?? ''), buttons: [] });
  switch (message.type) {
    case 'text':
      return plain(content['body']);
    case 'template':
      return template(account, message);
    case 'interactive':
      return interactive(content as unknown as Interactive);
    case 'reaction':
      return plain(content['emoji'] === '' ? '[reaction removed]' : content['emoji']);
    case 'location':
      return plain(
        ['[location]', content['name'], content['address'], `${content['latitude']}, ${content['longitude']}`].filter(Boolean).join(' '),
      );
    case 'contacts':
      return plain(
        `[contacts] ${(content as unknown as { name: { formatted_name: string } }[]).map(({ name }) => name.formatted_name).join(', ')}`,
      );
    default:
      return {
        ...plain([`[${message.type}]`, content['filename'], content['caption'], content['link']].filter(Boolean).join(' ')),
        ...(typeof content['id'] === 'string' && { media_id: content['id'] }),
      };
  }
}

function template(account: Account, { template: sent }: MessageBody): BubbleView {
  const found = account.templates.find(({ name, language }) => name === sent?.name && language === sent?.language?.code);
  const file = headerFile(sent?.components)?.content;
  return {
    text: hydrated(found, sent?.components),
    buttons: quickReplies(found, sent?.components ?? []),
    ...(typeof file?.id === 'string' && { media_id: file.id }),
  };
}

function quickReplies(found: GraphTemplate | undefined, components: unknown[]): Reply[] {
  const buttons = found?.components.find(({ type }) => type === 'BUTTONS')?.buttons ?? [];
  return buttons.flatMap(({ type, text: label = '' }, index) => {
    if (type !== 'QUICK_REPLY') return [];
    const sent = (components as { type: string; index?: unknown; parameters?: { payload?: string }[] }[]).find(
      (component) => component.type === 'button' && String(component.index) === String(index),
    );
    return [{ label, type: 'button', content: { text: label, payload: sent?.parameters?.[0]?.payload ?? label } }];
  });
}

function interactive({ type, body, action }: Interactive): BubbleView {
  const text = body?.text ?? `[${type}]`;
  const replies = (action.buttons ?? []).map(({ reply: { id, title } }) => ({
    label: title,
    type: 'interactive',
    content: { type: 'button_reply', button_reply: { id, title } },
  }));
  const rows = (action.sections ?? []).flatMap((section) => section.rows ?? []);
  const choices = rows.map((row) => ({ label: row.title, type: 'interactive', content: { type: 'list_reply', list_reply: { ...row } } }));
  return { text: [text, action.parameters?.url].filter(Boolean).join('\n'), buttons: [...replies, ...choices] };
}
