import { Body, Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GatewayConfig } from '../gateway.config';
import { BodyGuard } from '../http/body.guard';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import { SameOriginGuard } from '../sessions/same-origin.guard';
import { endedSessionCookie, sessionCookie, sessionToken } from '../sessions/session-cookie';
import type { SessionUser } from '../sessions/session-user';
import { LoginRequest } from './login.requests';
import { LoggedIn, LoginOptions, Me } from './login.responses';
import { LoginService } from './login.service';
import { MeService } from './me.service';

/** Login, logout, me (spec §10), also for operators. */
@Controller('api/client')
export class LoginController {
  constructor(
    private readonly logins: LoginService,
    private readonly me: MeService,
    private readonly config: GatewayConfig,
  ) {}

  @Post('login')
  @UseGuards(SameOriginGuard, BodyGuard)
  @Responds(LoggedIn, 'Log in', { errors: ['NOT_AUTHENTICATED', 'TOTP_REQUIRED', 'PERMISSION_DENIED', 'RATE_LIMITED'] })
  async login(
    @Body() { email, password, code = null }: LoginRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const currentToken = sessionToken(request.headers.cookie);
    const userAgent = request.headers['user-agent'] ?? null;
    const { token, user } = await this.logins.login({ email, password, code, ip: request.ip, userAgent, currentToken });
    reply.header('set-cookie', sessionCookie(token, this.config.production));
    return { message: 'Logged in.', user: { id: user.id, email: user.email, name: user.name, role: user.role } };
  }

  @Get('login/options')
  @Responds(LoginOptions, 'Show how people log in')
  options() {
    return Promise.resolve({ oidc: this.config.oidcIssuer !== '' });
  }

  @Post('logout')
  @NeedsSession()
  @Responds(Done, 'Log out: the session ends on every gateway')
  async logout(@CurrentUser() user: SessionUser, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const token = sessionToken(request.headers.cookie);
    if (token !== null) await this.logins.logout(user, token);
    reply.header('set-cookie', endedSessionCookie(this.config.production));
    return { message: 'Logged out.' };
  }

  @Get('me')
  @NeedsSession()
  @Responds(Me, 'Show the user and the business of the session')
  whoAmI(@CurrentUser() user: SessionUser): Promise<Me> {
    return this.me.describe(user);
  }
}
