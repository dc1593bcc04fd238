import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, Nullable } from './fields';
import { operation } from './operation';

const EventNames = Type.Array(Type.String(), { minItems: 1, maxItems: 5 });
/** Checked again by the dispatcher, which owns the rules for addresses (guarantees §5). */
const Url = Type.String({ minLength: 1, maxLength: 2048 });
const SecretSealed = Nullable(Type.String());

/** Spec §2.8 as the list shows it: the secret itself never leaves, only whether there is one. */
export const WebhookRecord = Type.Object({
  id: Id,
  name: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  is_active: Type.Integer({ minimum: 0, maximum: 1 }),
  has_secret: Type.Boolean(),
  last_triggered_at: Nullable(IsoTime),
  fail_count: Type.Integer({ minimum: 0 }),
  created_at: IsoTime,
});
export type WebhookRecord = Static<typeof WebhookRecord>;

/** VALIDATION_FAILED names `url` when the address is refused; CONFLICT-free: at most 20 per business, else VALIDATION_FAILED. */
export const CreateWebhook = operation('outbound-webhook-dispatcher', 'create-webhook', {
  request: Type.Object({ business_id: Id, name: Type.String(), url: Url, events: EventNames, secret_sealed: SecretSealed }),
  reply: Type.Object({ id: Id }),
});

export const ListWebhooks = operation('outbound-webhook-dispatcher', 'list-webhooks', {
  request: Type.Object({ business_id: Id }),
  reply: Type.Object({ webhooks: Type.Array(WebhookRecord) }),
});

/** Only what is given changes; `secret_sealed: null` removes the secret (spec §4.9). */
export const UpdateWebhook = operation('outbound-webhook-dispatcher', 'update-webhook', {
  request: Type.Object({
    business_id: Id,
    id: Id,
    name: Type.Optional(Type.String()),
    url: Type.Optional(Url),
    events: Type.Optional(EventNames),
    secret_sealed: Type.Optional(SecretSealed),
    is_active: Type.Optional(Type.Boolean()),
  }),
  reply: Type.Object({}),
  errors: ['NOT_FOUND'],
});

export const DeleteWebhook = operation('outbound-webhook-dispatcher', 'delete-webhook', {
  request: Type.Object({ business_id: Id, id: Id }),
  reply: Type.Object({}),
  errors: ['NOT_FOUND'],
});
