import { IsEmail, IsIn, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsName, Optional } from '../requests/field-rules';
import { IsText } from '../requests/is-text';
import { TEAM_ROLES, type TeamRole } from '../sessions/session-user';

/** Shorter passwords are easy to guess; longer ones only take time to hash. */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 256;

/** Programs that were written before there were managers send `member` for an agent. */
const IsTeamRole = () => IsIn([...TEAM_ROLES, 'member'], { message: 'role must be owner, manager or agent' });

@JSONSchema({ example: { email: 'ben@kaveri.example', name: 'Ben', password: 'a long phrase to remember', role: 'agent' } })
export class AddUserRequest {
  @IsEmail({}, { message: 'email must be an email address' })
  @Length(3, 254)
  email!: string;

  @IsName(100)
  name!: string;

  /** Without one the person gets a link to set their own. */
  @Optional(IsText(PASSWORD_MIN, PASSWORD_MAX))
  password?: string | null;

  @IsTeamRole()
  role!: TeamRole | 'member';
}

@JSONSchema({ example: { role: 'manager' } })
export class ChangeUserRequest {
  @IsTeamRole()
  role!: TeamRole | 'member';
}
