import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { GatewayError } from '@mgw/contracts';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-custom';
import type { KeyAccess } from '../api-keys/key-access';
import type { AuthenticatedRequest } from '../http/caller';
import { KeyCache } from './key-cache';
import { WrongKeys } from './wrong-keys';

export const API_KEY_STRATEGY = 'api-key';

/** The one path that also takes the key as a query parameter (spec §5.2). */
const QUERY_KEY_PATH = '/api/v1/quick-send';

/** Authenticates an integration by its header `X-API-Key` (spec §5.1). Node.js joins two such headers into one invalid key. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(Strategy, API_KEY_STRATEGY) {
  constructor(
    private readonly keys: KeyCache,
    private readonly wrongKeys: WrongKeys,
  ) {
    super();
  }

  async validate(request: AuthenticatedRequest): Promise<KeyAccess | false> {
    const token = presentedToken(request);
    const access = typeof token === 'string' ? await this.keys.find(token, request.ip) : null;
    if (!access && token !== undefined) this.wrongKeys.count(request.ip);
    if (access && !access.allowsFrom(request.ip)) {
      request.refusedKey = access;
      // Before the limits, so that a stolen key does not use up those of its owner.
      this.wrongKeys.count(request.ip);
      throw new GatewayError('IP_NOT_ALLOWED', 'This API key does not work from your address.');
    }
    if (access?.business.suspended) {
      request.refusedKey = access;
      throw new GatewayError('BUSINESS_SUSPENDED', 'The operator suspended this business.');
    }
    return access ?? false;
  }

  /**
   * Checks the key of a request again before a response that waited (decision 351).
   * @throws GatewayError INVALID_API_KEY, IP_NOT_ALLOWED, BUSINESS_SUSPENDED
   */
  async recheck(request: AuthenticatedRequest): Promise<void> {
    if ((await this.validate(request)) === false) throw invalidApiKey();
  }
}

export function invalidApiKey(): GatewayError {
  return new GatewayError('INVALID_API_KEY', 'The API key is missing, invalid or expired. Send it in the header X-API-Key.');
}

/** @returns undefined without a key; null if header and parameter differ, or if the parameter comes twice (decision 13) */
function presentedToken(request: FastifyRequest): string | null | undefined {
  const header = request.headers['x-api-key'] as string | undefined;
  if (request.routeOptions.url !== QUERY_KEY_PATH) return header;
  const { apikey } = request.query as { apikey?: string | string[] };
  if (apikey === undefined) return header;
  return typeof apikey === 'string' && (header === undefined || header === apikey) ? apikey : null;
}
