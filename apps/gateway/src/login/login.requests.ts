import { IsInt, IsPositive } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Optional } from '../requests/field-rules';
import { IsText } from '../requests/is-text';
import { CODE_MAX } from './totp.requests';

@JSONSchema({ example: { email: 'owner@growth.example', password: 'the one that npm start printed' } })
export class LoginRequest {
  @IsText(1, 254)
  email!: string;

  @IsText(1, 256)
  password!: string;

  /** One of the accounts of ACCOUNT_REQUIRED, or the account of an earlier login (decision 718). */
  @Optional(IsInt(), IsPositive())
  user_id?: number | null;

  /** Only with two-step login: the code of the authenticator app, or a recovery code. */
  @Optional(IsText(1, CODE_MAX))
  code?: string | null;
}

@JSONSchema({ example: { user_id: 7 } })
export class ProviderLoginRequest {
  /** One of the accounts of ACCOUNT_REQUIRED, which a request without it gets. */
  @Optional(IsInt(), IsPositive())
  user_id?: number | null;
}
