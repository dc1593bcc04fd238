import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-custom';
import type { KeyAccess } from '../api-keys/key-access';
import { KeyCache } from './key-cache';
import { WrongKeys } from './wrong-keys';

export const API_KEY_STRATEGY = 'api-key';

/** Knows an integration by its header `X-API-Key` (spec §5.1). Two such headers arrive as one text that is no key. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(Strategy, API_KEY_STRATEGY) {
  constructor(
    private readonly keys: KeyCache,
    private readonly wrong: WrongKeys,
  ) {
    super();
  }

  async validate(request: FastifyRequest): Promise<KeyAccess | false> {
    const token = request.headers['x-api-key'];
    const access = typeof token === 'string' ? await this.keys.find(token) : null;
    if (!access && token !== undefined) this.wrong.note(request.ip);
    return access ?? false;
  }
}
