import { JSONSchema } from 'class-validator-jsonschema';
import { IsText } from '../requests/is-text';
import { PASSWORD_MAX } from '../users/users.requests';

/** A code of an authenticator app has 6 digits, a recovery code 19 characters with its groups. */
export const CODE_MAX = 64;

@JSONSchema({ example: { code: '492039' } })
export class ConfirmTotpRequest {
  @IsText(1, CODE_MAX)
  code!: string;
}

@JSONSchema({ example: { password: 'the one that npm start printed' } })
export class RemoveTotpRequest {
  @IsText(1, PASSWORD_MAX)
  password!: string;
}
