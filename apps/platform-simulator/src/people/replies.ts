import type { Account } from '../accounts/accounts';
import type { Reply } from '../records/phones';
import type { People } from './people';
import { userIdOf } from './person-name';
import type { Reaction } from '../profile/behaviours';

interface Delivered {
  account: Account;
  recipient: string;
  messageId: string;
  /** Sent by a tap on the message's first button. */
  tap: Reply | null;
}

const THIRTY_HOURS_MS = 30 * 3_600_000;

/** The new number of test number 65. */
const NEW_NUMBER = '12015550199';

export async function react(people: People, reaction: Reaction, { account, recipient, messageId, tap }: Delivered): Promise<void> {
  const reply = (type: string, content: Record<string, unknown>, at = people.now()) =>
    people.write({
      account,
      from: recipient,
      name: 'Test Person',
      type,
      content,
      at,
      members: { context: { from: account.display_phone_number, id: messageId } },
    });
  switch (reaction) {
    case 'ok':
      await reply('text', { body: 'ok' });
      return;
    case 'stop':
      await reply('text', { body: 'STOP' });
      return;
    case 'tap':
      await reply(tap?.type ?? 'button', tap?.content ?? { text: 'Yes', payload: 'yes' });
      return;
    case 'react':
      await reply('reaction', { message_id: messageId, emoji: '👍' });
      return;
    case 'old':
      await reply('text', { body: 'This was written long ago' }, people.now() - THIRTY_HOURS_MS);
      return;
    case 'username':
      await people.write({
        account,
        from: userIdOf(recipient),
        name: 'Test Person',
        type: 'text',
        content: { body: 'ok' },
        at: people.now(),
      });
      return;
    case 'new-number':
      await reply('text', { body: 'ok' });
      await people.changeNumber(account, recipient, NEW_NUMBER);
      return;
  }
}
