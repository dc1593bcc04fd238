import { IsOptional, Matches } from 'class-validator';

export class ListApiKeysQuery {
  @IsOptional()
  @Matches(/^[1-9]\d{0,14}$/, { message: 'business_id must be a whole number' })
  business_id?: string;
}
