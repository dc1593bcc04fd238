import { IsEmail, IsIn, IsOptional, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsText } from '../requests/is-text';

/** Shorter passwords are easy to guess; longer ones only take time to hash. */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 256;

@JSONSchema({ example: { email: 'ben@kaveri.example', name: 'Ben', password: 'a long phrase to remember', role: 'member' } })
export class AddUserRequest {
  @IsEmail({}, { message: 'email must be an email address' })
  @Length(3, 254)
  email!: string;

  @IsText(1, 100)
  name!: string;

  /** Without one the person gets a link to set their own. */
  @IsOptional()
  @IsText(PASSWORD_MIN, PASSWORD_MAX)
  password?: string | null;

  @IsIn(['owner', 'member'], { message: 'role must be owner or member' })
  role!: 'owner' | 'member';
}
