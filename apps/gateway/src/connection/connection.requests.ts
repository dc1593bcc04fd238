import { Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Optional } from '../requests/field-rules';
import { IsText } from '../requests/is-text';

const PLATFORM_ID = /^[0-9]{1,32}$/;

/** Spec §10. The first request needs all secrets; later an absent secret stays unchanged. */
@JSONSchema({
  example: {
    phone_number_id: '700100200300599',
    business_account_id: '800900100200599',
    access_token: 'EAA',
    app_secret: 'from Meta',
    verify_token: 'of your choice',
  },
})
export class SetConnectionRequest {
  @Matches(PLATFORM_ID, { message: 'phone_number_id must be 1 to 32 digits, as Meta shows it' })
  phone_number_id!: string;

  @Matches(PLATFORM_ID, { message: 'business_account_id must be 1 to 32 digits, as Meta shows it' })
  business_account_id!: string;

  @Optional(IsText(1, 1024))
  access_token?: string | null;

  @Optional(IsText(1, 256))
  app_secret?: string | null;

  @Optional(IsText(1, 256))
  verify_token?: string | null;
}
