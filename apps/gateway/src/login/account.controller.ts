import { Body, Controller, Delete, Get, Param, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BodyGuard } from '../http/body.guard';
import { IdPipe } from '../requests/id.pipe';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import { SameOriginGuard } from '../sessions/same-origin.guard';
import { ownToken } from '../sessions/session-cookie';
import type { SessionUser } from '../sessions/session-user';
import { ChangePasswordRequest, ForgottenPasswordRequest, SetPasswordRequest } from './account.requests';
import { SessionsResponse } from './account.responses';
import { AccountService } from './account.service';

/** A person's own password and sessions, for operators too. */
@Controller('api/client')
export class AccountController {
  constructor(private readonly account: AccountService) {}

  @Put('me/password')
  @NeedsSession()
  @Responds(Done, 'Change your password; all your other sessions end')
  async changePassword(@CurrentUser() user: SessionUser, @Req() request: FastifyRequest, @Body() body: ChangePasswordRequest) {
    await this.account.changePassword(user, ownToken(request), body);
    return { message: 'Password changed. All your other sessions have ended.' };
  }

  @Get('me/sessions')
  @NeedsSession()
  @Responds(SessionsResponse, 'List your sessions, the most recently used first')
  async listSessions(@CurrentUser() user: SessionUser, @Req() request: FastifyRequest) {
    return { sessions: await this.account.listSessions(user, ownToken(request)) };
  }

  @Delete('me/sessions/:id')
  @NeedsSession()
  @Responds(Done, 'End one of your sessions on every gateway')
  async endSession(@CurrentUser() user: SessionUser, @Param('id', IdPipe) id: number) {
    await this.account.endSession(user, id);
    return { message: 'Session ended.' };
  }

  @Post('password/forgotten')
  @UseGuards(SameOriginGuard, BodyGuard)
  @Responds(Done, 'Ask for a link by mail; the response and its time are the same for unknown people', {
    errors: ['PERMISSION_DENIED', 'RATE_LIMITED'],
  })
  async forgotten(@Req() { ip }: FastifyRequest, @Body() { email }: ForgottenPasswordRequest) {
    return { message: await this.account.mailLink(email, ip) };
  }

  @Post('password')
  @UseGuards(SameOriginGuard, BodyGuard)
  @Responds(Done, 'Set a password with the token of an invitation or a reset; all sessions of the user end', {
    errors: ['PERMISSION_DENIED', 'RATE_LIMITED'],
  })
  async setPassword(@Req() { ip }: FastifyRequest, @Body() body: SetPasswordRequest) {
    await this.account.setPassword(body, ip);
    return { message: 'Password set. You can log in now.' };
  }
}
