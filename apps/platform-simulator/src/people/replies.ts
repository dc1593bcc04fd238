import type { Account } from '../accounts/accounts';
import type { Reply } from '../control/phone';
import type { People } from './people';
import type { Reaction } from './test-numbers';

export interface Delivered {
  account: Account;
  recipient: string;
  messageId: string;
  /** What a tap on the message's first button sends. */
  tap: Reply | null;
}

const THIRTY_HOURS_MS = 30 * 3_600_000;

/** The number that 65 moves to. */
export const NEW_NUMBER = '12015550199';

export async function react(people: People, reaction: Reaction, { account, recipient, messageId, tap }: Delivered): Promise<void> {
  const say = (type: string, content: Record<string, unknown>, at = people.now()) =>
    people.writes({
      account,
      from: recipient,
      name: 'Test Person',
      type,
      content,
      at,
      beside: { context: { from: account.display_phone_number, id: messageId } },
    });
  switch (reaction) {
    case 'ok':
      await say('text', { body: 'ok' });
      return;
    case 'stop':
      await say('text', { body: 'STOP' });
      return;
    case 'tap':
      await say(tap?.type ?? 'button', tap?.content ?? { text: 'Yes', payload: 'yes' });
      return;
    case 'react':
      await say('reaction', { message_id: messageId, emoji: '👍' });
      return;
    case 'old':
      await say('text', { body: 'This was written long ago' }, people.now() - THIRTY_HOURS_MS);
      return;
    case 'username':
      await people.writes({
        account,
        from: userIdOf(recipient),
        name: 'Test Person',
        type: 'text',
        content: { body: 'ok' },
        at: people.now(),
      });
      return;
    case 'new-number':
      await say('text', { body: 'ok' });
      await people.changesNumber(account, recipient, NEW_NUMBER);
      return;
  }
}

/** The business-scoped user id of a phone, always the same. */
export function userIdOf(phone: string): string {
  return `US.9${phone.padStart(18, '0')}`;
}
