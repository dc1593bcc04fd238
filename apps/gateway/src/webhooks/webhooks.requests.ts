import { IsIn, IsInt, Max, Min, ValidateIf } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { MAX_KEEP_OLD_MINUTES, PUBLIC_EVENTS, type PublicEventName } from '@mgw/contracts';
import { AreSomeOf, IsName, IsOneOf, Optional } from '../requests/field-rules';
import { IsText } from '../requests/is-text';
import { PeriodQuery } from '../requests/page';
import { MayBeAbsent } from '../requests/request.pipe';

const NAME = 'Your name for the webhook.';
const URL =
  'Where the gateway posts events: https on port 443 or 8443 of a public host. Outside production also what WEBHOOK_ALLOWED_TARGETS names.';
const EVENTS = 'The events that the webhook gets.';
const SECRET = 'Signs every delivery; no response shows it. Without one anybody who knows the address can send events to it.';

/** Spec §4.9, decision 33. The dispatcher checks the address. */
@JSONSchema({
  example: { name: 'CRM', url: 'https://crm.example.com/hook', events: ['message.received', 'message.sent'], secret: 'swordfish' },
})
export class CreateWebhookRequest {
  @JSONSchema({ description: NAME })
  @IsName(100)
  name!: string;

  @JSONSchema({ description: URL })
  @IsText(1, 2048)
  url!: string;

  @JSONSchema({ description: EVENTS })
  @AreSomeOf(PUBLIC_EVENTS)
  events!: PublicEventName[];

  @JSONSchema({ description: SECRET })
  @Optional(IsText(1, 256))
  secret?: string | null;
}

/** Absent fields and null leave a value unchanged, except that null removes the secret (decision 44). */
@JSONSchema({ example: { is_active: true } })
export class UpdateWebhookRequest {
  @JSONSchema({ description: NAME })
  @Optional(IsName(100))
  name?: string | null;

  @JSONSchema({ description: URL })
  @Optional(IsText(1, 2048))
  url?: string | null;

  @JSONSchema({ description: EVENTS })
  @Optional(AreSomeOf(PUBLIC_EVENTS))
  events?: PublicEventName[] | null;

  @JSONSchema({ description: `${SECRET} Null removes it.` })
  @ValidateIf((request: UpdateWebhookRequest) => request.secret !== undefined && request.secret !== null)
  @IsText(1, 256)
  secret?: string | null;

  /** Decision 280. */
  @JSONSchema({ description: 'With a new secret: for as many minutes deliveries carry a signature of the old one too.' })
  @Optional(IsInt(), Min(0), Max(MAX_KEEP_OLD_MINUTES))
  keep_old_minutes?: number | null;

  /** Decision 34b. */
  @JSONSchema({ description: 'Whether the webhook gets events: true or false, or 1 or 0 as in the list.' })
  @Optional(IsIn([true, false, 0, 1], { message: 'is_active must be true or false' }))
  is_active?: boolean | 0 | 1 | null;
}

const STATES = ['pending', 'running', 'succeeded', 'failed', 'skipped'] as const;
const EVENT_NAME = { message: `event must be one of ${PUBLIC_EVENTS.join(', ')}` };

/** The period is that of the creation. */
export class ListDeliveriesQuery extends PeriodQuery {
  @JSONSchema({ description: '`skipped` are those that came while the webhook was disabled.' })
  @Optional(IsOneOf(STATES))
  state?: (typeof STATES)[number];

  @JSONSchema({ description: 'The name of an event.' })
  @Optional(IsIn(PUBLIC_EVENTS, EVENT_NAME))
  event?: PublicEventName;
}

@MayBeAbsent()
@JSONSchema({ example: { event: 'message.sent' } })
export class TestWebhookRequest {
  /** The webhook's first event by default. */
  @Optional(IsIn(PUBLIC_EVENTS, EVENT_NAME))
  event?: PublicEventName | null;
}
