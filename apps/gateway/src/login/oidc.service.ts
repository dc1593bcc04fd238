import { Inject, Injectable } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import type * as oidc from 'openid-client';
import { GatewayConfig } from '../gateway.config';
import { boundedFetch } from './bounded-fetch';

export const OIDC_CALLBACK = '/api/client/oidc/callback';
/** Loads the library at the first login, because few installations have a provider. */
const openIdClient = () => import('openid-client');
/** Time for a person to log in at the provider, in milliseconds. */
export const OIDC_LIFE_MS = 10 * 60_000;
/** Time for one call of the provider, in seconds. */
const CALL_SECONDS = 5;
const REQUEST = 'oidc.request';
const VERIFIED = 'oidc.verified';

/** Why a login with the provider failed, as the login page explains it. */
type OidcProblem = 'expired' | 'refused' | 'unverified' | 'unknown' | 'unavailable' | 'limited' | 'off';

export class OidcFailure extends Error {
  override readonly name = 'OidcFailure';

  constructor(readonly problem: OidcProblem) {
    super(problem);
  }
}

/** A login that has begun. The browser keeps it, sealed, while the person is at the provider. */
export interface LoginRequest {
  state: string;
  nonce: string;
  verifier: string;
  next: string;
  until: number;
}

/** Login by an OpenID Connect provider: the code flow with PKCE (decision 375). */
@Injectable()
export class OidcService {
  private discovery: Promise<oidc.Configuration> | null = null;

  constructor(
    private readonly config: GatewayConfig,
    private readonly sealer: Sealer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  get isConfigured(): boolean {
    return this.config.oidcIssuer !== '';
  }

  /** @returns the address at the provider, and the sealed request for the browser */
  async begin(next: string): Promise<{ url: string; sealed: string }> {
    if (!this.isConfigured) throw new OidcFailure('off');
    const provider = await this.provider();
    const oidc = await openIdClient();
    const request: LoginRequest = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      next,
      until: Date.now() + OIDC_LIFE_MS,
    };
    const url = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: this.urlOf(OIDC_CALLBACK),
      scope: 'openid email',
      state: request.state,
      nonce: request.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(request.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, sealed: this.sealer.seal(JSON.stringify(request), REQUEST) };
  }

  /**
   * Finds the request that a callback belongs to. Any page can make a browser call the callback, but not with its cookie.
   * @param search the query of the callback
   * @throws OidcFailure
   */
  begun(search: string, sealed: string | null): LoginRequest {
    if (!this.isConfigured) throw new OidcFailure('off');
    const request = this.open<LoginRequest>(sealed, REQUEST);
    if (request === null) throw new OidcFailure('expired');
    if (new URLSearchParams(search).get('state') !== request.state) throw new OidcFailure('refused');
    return request;
  }

  /**
   * Exchanges the code of a callback, and checks state, nonce, PKCE, signature, issuer and audience.
   * @param search the query of the callback
   * @returns the verified address
   * @throws OidcFailure
   */
  async finish(search: string, request: LoginRequest): Promise<string> {
    const provider = await this.provider();
    const oidc = await openIdClient();
    try {
      const callback = new URL(`${OIDC_CALLBACK}${search}`, this.config.publicUrl);
      const tokens = await oidc.authorizationCodeGrant(provider, callback, {
        expectedState: request.state,
        expectedNonce: request.nonce,
        pkceCodeVerifier: request.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new OidcFailure('refused');
      // Many providers send the address only here.
      const { email, email_verified } =
        claims.email === undefined ? await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub) : claims;
      if (typeof email !== 'string' || email_verified !== true) throw new OidcFailure('unverified');
      return email;
    } catch (error) {
      if (error instanceof OidcFailure) throw error;
      // The message may contain what the provider sent.
      this.logger.warn({ code: (error as { code?: string }).code }, 'a login with the OIDC provider failed');
      throw new OidcFailure('refused');
    }
  }

  /** Seals a verified address for the browser of a person who has to choose an account. */
  sealVerified(email: string): string {
    return this.sealer.seal(JSON.stringify({ email, until: Date.now() + OIDC_LIFE_MS }), VERIFIED);
  }

  /** @throws GatewayError NOT_AUTHENTICATED */
  verified(sealed: string | null): string {
    const opened = this.open<{ email: string; until: number }>(sealed, VERIFIED);
    if (opened === null) throw new GatewayError('NOT_AUTHENTICATED', 'The login with your organization took too long. Begin it again.');
    return opened.email;
  }

  private open<T extends { until: number }>(sealed: string | null, context: string): T | null {
    if (sealed === null) return null;
    try {
      const opened = JSON.parse(this.sealer.open(sealed, context)) as T;
      return opened.until > Date.now() ? opened : null;
    } catch {
      // Changed, or sealed with a key that is gone.
      return null;
    }
  }

  /** Discovers the provider with the first login. @throws OidcFailure */
  private async provider(): Promise<oidc.Configuration> {
    this.discovery ??= this.discover();
    try {
      return await this.discovery;
    } catch (error) {
      this.discovery = null;
      this.logger.warn({ code: (error as { code?: string }).code }, 'the OIDC provider did not respond');
      throw new OidcFailure('unavailable');
    }
  }

  private async discover(): Promise<oidc.Configuration> {
    const oidc = await openIdClient();
    const { oidcIssuer, oidcClientId, oidcClientSecret, production } = this.config;
    const isPlain = !production && new URL(oidcIssuer).protocol === 'http:';
    return oidc.discovery(new URL(oidcIssuer), oidcClientId, oidcClientSecret, undefined, {
      timeout: CALL_SECONDS,
      [oidc.customFetch]: boundedFetch,
      // Without this the library trusts TLS instead of checking the ID token's signature.
      execute: isPlain ? [oidc.enableNonRepudiationChecks, oidc.allowInsecureRequests] : [oidc.enableNonRepudiationChecks],
    });
  }

  private urlOf(path: string): string {
    return new URL(path, this.config.publicUrl).href;
  }
}
