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
import type { StoredUser } from '../users/users.store';
import { LoginRequest, ProviderLoginRequest } from './login.requests';
import { LoggedIn, LoginOptions, Me } from './login.responses';
import { originOf } from './login-origin';
import { LoginService } from './login.service';
import { MeService } from './me.service';
import { oidcCookie, oidcSeal } from './oidc.routes';
import { OidcService } from './oidc.service';

/** Login, logout, me (spec §10), for operators too. */
@Controller('api/client')
export class LoginController {
  constructor(
    private readonly logins: LoginService,
    private readonly oidc: OidcService,
    private readonly me: MeService,
    private readonly config: GatewayConfig,
  ) {}

  @Post('login')
  @UseGuards(SameOriginGuard, BodyGuard)
  @Responds(LoggedIn, 'Log in', { errors: ['NOT_AUTHENTICATED', 'ACCOUNT_REQUIRED', 'TOTP_REQUIRED', 'PERMISSION_DENIED', 'RATE_LIMITED'] })
  async login(
    @Body() { email, password, user_id = null, code = null }: LoginRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { token, user } = await this.logins.login({ email, password, userId: user_id, code, ...originOf(request) });
    reply.header('set-cookie', sessionCookie(token, this.config.production));
    return loggedIn(user);
  }

  @Post('oidc/login')
  @UseGuards(SameOriginGuard, BodyGuard)
  @Responds(LoggedIn, 'Choose the account after a login with an OpenID Connect provider', {
    errors: ['NOT_AUTHENTICATED', 'ACCOUNT_REQUIRED', 'PERMISSION_DENIED'],
  })
  async loginChosen(
    @Body() { user_id = null }: ProviderLoginRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const email = this.oidc.verified(oidcSeal(request.headers.cookie));
    const { token, user } = await this.logins.loginChosen(email, user_id, originOf(request));
    const { production } = this.config;
    reply.header('set-cookie', [oidcCookie('', 0, production), sessionCookie(token, production)]);
    return loggedIn(user);
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

function loggedIn({ id, email, name, role }: StoredUser) {
  return { message: 'Logged in.', user: { id, email, name, role } };
}
