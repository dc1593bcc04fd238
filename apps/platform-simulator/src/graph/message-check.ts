import type { Account } from '../accounts/accounts';
import type { MediaStore } from '../media/media-store';
import { checkFreeMessage } from './free-message-check';
import { GraphFailure } from '../graph-error';
import type { MessageBody } from './message-body';
import { checkTemplateMessage } from './template-message-check';

/** Checks a message like the platform (platform §1). @throws GraphFailure */
export function checkMessage(account: Account, message: MessageBody, recipient: string, media: MediaStore): void {
  if (account.status !== 'CONNECTED') throw new GraphFailure(133010, 'Account not registered');
  if (recipient === account.display_phone_number) throw new GraphFailure(131021, 'Recipient cannot be the sender');
  if (message.type === 'template') checkTemplateMessage(account, message, recipient, media);
  else checkFreeMessage(message, account.phone_number_id, media);
  if (message.type === 'reaction' && message.context) throw new GraphFailure(100, 'Unexpected key "context" on param "message".');
}
