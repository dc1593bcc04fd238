import { IsIn, IsOptional } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsText } from '../requests/is-text';

const STATES = ['opted_out', 'blocked', 'opted_out_marketing'] as const;

/** Spec §10, decision 18. */
@JSONSchema({ example: { state: 'blocked', reason: 'Asked us by phone.' } })
export class SetSuppressionRequest {
  @IsIn(STATES, { message: `state must be one of ${STATES.join(', ')}` })
  state!: (typeof STATES)[number];

  @IsOptional()
  @IsText(1, 500)
  reason?: string | null;
}
