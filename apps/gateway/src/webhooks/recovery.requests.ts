import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { RECOVERABLE_STATES } from '@mgw/contracts';
import { Optional } from '../requests/field-rules';
import { IsZonedDatetime } from '../requests/zoned-datetime';

/** A bound for the list; duplicates change nothing. */
const STATES_MAX = 10;

@JSONSchema({ example: { since: '2026-11-22T09:00:00Z' } })
export class RecoverRequest {
  @JSONSchema({ description: 'Deliveries that were created at this time or later.' })
  @IsZonedDatetime()
  since!: string;

  @JSONSchema({ description: 'Deliveries that were created at this time or earlier; now by default.' })
  @Optional(IsZonedDatetime())
  until?: string | null;

  @JSONSchema({ description: 'Both by default. Deliveries are skipped while the webhook is disabled.' })
  @Optional(
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(STATES_MAX),
    IsIn(RECOVERABLE_STATES, { each: true, message: `each of states must be one of ${RECOVERABLE_STATES.join(', ')}` }),
  )
  states?: (typeof RECOVERABLE_STATES)[number][] | null;
}
