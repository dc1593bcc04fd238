import { IsEmail, IsString, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { PASSWORD_MAX, PASSWORD_MIN } from '../users/users.requests';

@JSONSchema({ example: { current_password: 'the one that npm start printed', new_password: 'a longer phrase to remember' } })
export class ChangePasswordRequest {
  @IsString()
  @Length(1, PASSWORD_MAX)
  current_password!: string;

  @IsString()
  @Length(PASSWORD_MIN, PASSWORD_MAX)
  new_password!: string;
}

@JSONSchema({ example: { email: 'owner@growth.example' } })
export class ForgottenPasswordRequest {
  @IsEmail({}, { message: 'email must be an email address' })
  @Length(3, 254)
  email!: string;
}

@JSONSchema({ example: { token: 'fJw0l7d8mZ0u5r6yq2xk1c9v3b4n8a7s6d5f4g3h2j1', new_password: 'a longer phrase to remember' } })
export class SetPasswordRequest {
  /** The part of the link after `#token=`. */
  @IsString()
  @Length(1, 256)
  token!: string;

  @IsString()
  @Length(PASSWORD_MIN, PASSWORD_MAX)
  new_password!: string;
}
