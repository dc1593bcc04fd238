import { IsEmail, IsIn, IsString, Length } from 'class-validator';

/** Shorter ones fall to guessing; longer ones only cost time to hash. */
const PASSWORD_MIN = 8;
const PASSWORD_MAX = 256;

/** Product §3. */
export class AddUserRequest {
  @IsEmail({}, { message: 'email must be an email address' })
  @Length(3, 254)
  email!: string;

  @IsString()
  @Length(1, 100)
  name!: string;

  @IsString()
  @Length(PASSWORD_MIN, PASSWORD_MAX)
  password!: string;

  @IsIn(['owner', 'member'], { message: 'role must be owner or member' })
  role!: 'owner' | 'member';
}
