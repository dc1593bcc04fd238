import type { Account } from '../accounts/accounts';
import type { MessageBody } from '../graph/message-check';

/** A message as a phone shows it. */
export interface Bubble {
  id: string;
  /** From the customer's side: `in` came from the business. */
  direction: 'in' | 'out';
  type: string;
  text: string;
  buttons: string[];
  at: string;
  status: string;
}

const MAX_THREADS = 1_000;
const MAX_BUBBLES = 200;

/** What customers' phones show; bounded, in memory. */
export class Phones {
  private readonly threads = new Map<string, Bubble[]>();

  add(phoneNumberId: string, person: string, bubble: Bubble): void {
    const key = `${phoneNumberId}/${person}`;
    const thread = this.threads.get(key) ?? [];
    this.threads.delete(key);
    this.threads.set(key, [...thread, bubble].slice(-MAX_BUBBLES));
    if (this.threads.size > MAX_THREADS) this.threads.delete(this.threads.keys().next().value as string);
  }

  mark(phoneNumberId: string, person: string, id: string, status: string): void {
    const bubble = this.threads.get(`${phoneNumberId}/${person}`)?.find((one) => one.id === id);
    if (bubble) bubble.status = status;
  }

  of(phoneNumberId: string, person: string): Bubble[] {
    return this.threads.get(`${phoneNumberId}/${person}`) ?? [];
  }

  /** People with a thread, the newest first. */
  people(phoneNumberId: string): string[] {
    const prefix = `${phoneNumberId}/`;
    return [...this.threads.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length))
      .reverse();
  }

  clear(): void {
    this.threads.clear();
  }
}

/** What a message of the business looks like on the phone. */
export function shown(account: Account, message: MessageBody): { text: string; buttons: string[] } {
  if (message.type === 'text') return { text: String(message.text?.body ?? ''), buttons: [] };
  if (message.type !== 'template') {
    const media = (message[String(message.type)] ?? {}) as { caption?: string; filename?: string; link?: string };
    return { text: [`[${String(message.type)}]`, media.filename, media.caption, media.link].filter(Boolean).join(' '), buttons: [] };
  }
  const { name, language, components = [] } = message.template ?? {};
  const template = account.templates.find((one) => one.name === name && one.language === language?.code);
  const values = (components.find(({ type }) => type === 'body')?.parameters ?? []) as { text?: string; parameter_name?: string }[];
  const body = template?.components.find(({ type }) => type === 'BODY')?.text ?? '';
  const text = body.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, variable: string) => {
    const named = values.find(({ parameter_name }) => parameter_name === variable);
    return (named ?? values[Number(variable) - 1])?.text ?? whole;
  });
  const buttons = template?.components.find(({ type }) => type === 'BUTTONS')?.buttons ?? [];
  return { text, buttons: buttons.filter(({ type }) => type === 'QUICK_REPLY').map((button) => button.text ?? '') };
}
