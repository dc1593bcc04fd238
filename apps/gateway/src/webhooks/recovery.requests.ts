import { JSONSchema } from 'class-validator-jsonschema';
import { RECOVERABLE_STATES } from '@mgw/contracts';
import { AreSomeOf, Optional } from '../requests/field-rules';
import { IsZonedDatetime } from '../requests/zoned-datetime';

@JSONSchema({ example: { since: '2026-11-22T09:00:00Z' } })
export class RecoverRequest {
  @JSONSchema({ description: 'Deliveries that were created at this time or later.' })
  @IsZonedDatetime()
  since!: string;

  @JSONSchema({ description: 'Deliveries that were created at this time or earlier; now by default.' })
  @Optional(IsZonedDatetime())
  until?: string | null;

  @JSONSchema({ description: 'Both by default. Deliveries are skipped while the webhook is disabled.' })
  @Optional(AreSomeOf(RECOVERABLE_STATES))
  states?: (typeof RECOVERABLE_STATES)[number][] | null;
}
