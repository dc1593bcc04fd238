import { IsString, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

@JSONSchema({ example: { email: 'owner@growth.example', password: 'the one that npm start printed' } })
export class LoginRequest {
  @IsString()
  @Length(1, 254)
  email!: string;

  @IsString()
  @Length(1, 256)
  password!: string;
}
