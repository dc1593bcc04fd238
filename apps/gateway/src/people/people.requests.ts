import { JSONSchema } from 'class-validator-jsonschema';
import { IsText } from '../requests/is-text';

@JSONSchema({ example: { reason: 'Requested by e-mail on 5 January.' } })
export class ErasePersonRequest {
  /** Stays in the list of erasures. */
  @IsText(1, 500)
  reason!: string;
}
