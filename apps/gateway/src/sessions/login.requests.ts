import { IsString, Length } from 'class-validator';

export class LoginRequest {
  @IsString()
  @Length(1, 254)
  email!: string;

  @IsString()
  @Length(1, 256)
  password!: string;
}
