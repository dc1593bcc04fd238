import { IsInt, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

@JSONSchema({ example: { global_per_minute: 120 } })
export class SetLimitsRequest {
  /** Decision 46. */
  @IsInt()
  @Min(1)
  @Max(100_000)
  global_per_minute!: number;
}
