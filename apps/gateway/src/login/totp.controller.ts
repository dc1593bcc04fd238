import { Body, Controller, Delete, Get, Post, Put, Req } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import { ownToken } from '../sessions/session-cookie';
import type { SessionUser } from '../sessions/session-user';
import { TotpService } from '../users/totp.service';
import { SecondStep } from './second-step.service';
import { ConfirmTotpRequest, RemoveTotpRequest } from './totp.requests';

const TotpState = Type.Object(
  {
    enabled: Type.Boolean(),
    required: Type.Boolean({ description: 'Whether the business, or the gateway for its operators, requires it.' }),
    recovery_codes_left: Type.Integer(),
  },
  { title: 'TotpState' },
);
const TotpSecret = Type.Object(
  { secret: Type.String(), otpauth_url: Type.String({ description: 'What the QR code for the app contains.' }) },
  { title: 'TotpSecret' },
);
const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), { description: 'Shown this once; each replaces one code of the app.' }),
    message: Type.String(),
  },
  { title: 'RecoveryCodes' },
);

/** A person's own two-step login, for operators too. */
@Controller('api/client/me/totp')
@NeedsSession()
export class TotpController {
  constructor(
    private readonly totp: TotpService,
    private readonly step: SecondStep,
  ) {}

  @Get()
  @Responds(TotpState, 'Show your two-step login')
  show(@CurrentUser() user: SessionUser) {
    return this.totp.stateOf(user);
  }

  @Post()
  @Responds(TotpSecret, 'Make a secret for your authenticator app', { errors: ['CONFLICT'] })
  begin(@CurrentUser() user: SessionUser) {
    return this.totp.begin(user);
  }

  @Put()
  @Responds(RecoveryCodes, 'Turn two-step login on with a code of the app; all your other sessions end', { errors: ['CONFLICT'] })
  async confirm(@CurrentUser() user: SessionUser, @Req() request: FastifyRequest, @Body() { code }: ConfirmTotpRequest) {
    const recovery_codes = await this.step.confirm(user, ownToken(request), code);
    return { recovery_codes, message: 'Two-step login is on. Keep these codes: they are not shown again.' };
  }

  @Delete()
  @Responds(Done, 'Turn two-step login off with your password', { errors: ['CONFLICT'] })
  async remove(@CurrentUser() user: SessionUser, @Body() { password }: RemoveTotpRequest) {
    await this.step.remove(user, password);
    return { message: 'Two-step login is off.' };
  }
}
