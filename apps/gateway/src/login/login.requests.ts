import { JSONSchema } from 'class-validator-jsonschema';
import { IsText } from '../requests/is-text';

@JSONSchema({ example: { email: 'owner@growth.example', password: 'the one that npm start printed' } })
export class LoginRequest {
  @IsText(1, 254)
  email!: string;

  @IsText(1, 256)
  password!: string;
}
