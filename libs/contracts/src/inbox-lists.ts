import { Type, type Static } from '@sinclair/typebox';
import { characters, Id } from './fields';
import { operation } from './operation';

export const LABEL_NAME = 40;

export const LABEL_COLORS = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'violet', 'pink'] as const;

const label = { name: characters(LABEL_NAME, 1), color: Type.Union(LABEL_COLORS.map((color) => Type.Literal(color))) };
export const Label = Type.Object({ id: Id, ...label });
export type Label = Static<typeof Label>;

const quickReply = { shortcut: characters(32, 1), text: characters(4096, 1) };
export const QuickReply = Type.Object({ id: Id, ...quickReply });
export type QuickReply = Static<typeof QuickReply>;

/** Maximum number of labels, and of quick replies, of a business. */
export const MAX_INBOX_LIST = 200;

/** CONFLICT if the name is taken, or the business has MAX_INBOX_LIST of them. */
const written = { response: Type.Object({ id: Id }), errors: ['CONFLICT'] as const };
const changed = { response: Type.Object({}), errors: ['CONFLICT', 'NOT_FOUND'] as const };
const one = Type.Object({ business_id: Id, id: Id });

export const ListLabels = operation('send', 'list-labels', {
  isRead: true,
  request: Type.Object({ business_id: Id }),
  response: Type.Object({ labels: Type.Array(Label) }),
});
export const CreateLabel = operation('send', 'create-label', { request: Type.Object({ business_id: Id, ...label }), ...written });
/** Changes only the given fields. */
export const UpdateLabel = operation('send', 'update-label', {
  request: Type.Composite([one, Type.Partial(Type.Object(label))]),
  ...changed,
});
/** Removes the label from every conversation. */
export const DeleteLabel = operation('send', 'delete-label', {
  request: one,
  // Absent from the previous version of the service.
  response: Type.Partial(Type.Pick(Label, ['name'])),
  errors: ['NOT_FOUND', 'RATE_LIMITED'],
});

export const ListQuickReplies = operation('send', 'list-quick-replies', {
  isRead: true,
  request: Type.Object({ business_id: Id }),
  response: Type.Object({ quick_replies: Type.Array(QuickReply) }),
});
export const CreateQuickReply = operation('send', 'create-quick-reply', {
  request: Type.Object({ business_id: Id, ...quickReply }),
  ...written,
});
/** Changes only the given fields. */
export const UpdateQuickReply = operation('send', 'update-quick-reply', {
  request: Type.Composite([one, Type.Partial(Type.Object(quickReply))]),
  ...changed,
});
export const DeleteQuickReply = operation('send', 'delete-quick-reply', {
  request: one,
  // Absent from the previous version of the service.
  response: Type.Partial(Type.Pick(QuickReply, ['shortcut'])),
  errors: ['NOT_FOUND', 'RATE_LIMITED'],
});
