import { IsInt, Max, Min } from 'class-validator';

export class SetLimitsRequest {
  /** Product decision 46. */
  @IsInt()
  @Min(1)
  @Max(100_000)
  global_per_minute!: number;
}
