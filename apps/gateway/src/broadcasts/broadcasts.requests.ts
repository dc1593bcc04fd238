import { IsString, Matches, MaxLength } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsListFormat, IsName, IsOneOf, Optional } from '../requests/field-rules';
import { IsText } from '../requests/is-text';
import { PageQuery } from '../requests/page';
import { IsZonedDatetime } from '../requests/zoned-datetime';
import { LANGUAGE, TEMPLATE_NAME } from '../sending/template-content';
import { IsRecipients, type RecipientRow } from './recipient-rows';

/** A template and its recipients, as `recipients` or as `csv`. */
@JSONSchema({ example: { template_name: 'order_update', csv: 'phone,name,order\n+1 201 555 0100,Asha,1007\n' } })
export class CheckBroadcastRequest {
  @JSONSchema({ description: TEMPLATE_NAME })
  @IsText(1, 512)
  template_name!: string;

  @JSONSchema({ description: LANGUAGE })
  @Optional(IsText(1, 20))
  language?: string | null;

  @Optional(IsRecipients())
  recipients?: RecipientRow[] | null;

  /** A download of recipients is read without its states. */
  @JSONSchema({
    description:
      'The people as the text of a CSV file with a heading, in place of `recipients`. The column `phone` is the recipient, columns that ' +
      'begin with `header` fill the header, those that begin with `button` its buttons, and all others fill the body, in their order.',
  })
  @Optional(IsString(), MaxLength(4_000_000))
  csv?: string | null;

  @Optional(IsZonedDatetime())
  @JSONSchema({ description: 'The broadcast starts then; at once without it. It must be in the future.' })
  scheduled_at?: string | null;
}

export const BROADCAST_EXAMPLE = {
  name: 'Autumn',
  template_name: 'order_update',
  recipients: [{ phone: '+1 201 555 0100', body_params: ['Asha', '1007'] }],
};

/** Spec §10. */
@JSONSchema({ example: BROADCAST_EXAMPLE })
export class CreateBroadcastRequest extends CheckBroadcastRequest {
  @JSONSchema({ description: 'Your name for the broadcast, which recipients do not see.' })
  @IsName(100)
  name!: string;
}

/** Digits, with the signs that people write between them. */
const PART_OF_PHONE = /^[+\d ().-]{1,30}$/;
const STATES = ['pending', 'sending', 'sent', 'delivered', 'read', 'replied', 'failed', 'unclear'] as const;

export class ListRecipientsQuery extends PageQuery {
  @JSONSchema({ description: '`sent`, `delivered`, `read` and `replied` include those that went further.' })
  @Optional(IsOneOf(STATES))
  state?: (typeof STATES)[number];

  @JSONSchema({ description: 'Any part of the phone number.' })
  @Optional(Matches(PART_OF_PHONE, { message: 'phone must be a part of a phone number' }))
  phone?: string;

  @JSONSchema({ description: 'One of the reasons in `failures` of the broadcast.' })
  @Optional(IsText(1, 1_000))
  reason?: string;
}

export class RecipientsDownloadQuery extends ListRecipientsQuery {
  /** `csv` downloads all recipients that match, with their values. */
  @IsListFormat()
  format?: 'json' | 'csv';
}
