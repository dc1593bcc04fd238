import { Body, Controller, Delete, Get, Headers, Param, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { markReplayed } from '../requests/idempotency';
import { IdPipe } from '../requests/id.pipe';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { ApiKeysResponse, CreatedApiKeyResponse, RotatedApiKeyResponse } from './api-key.record';
import { CreateApiKeyRequest, EditApiKeyRequest, RotateApiKeyRequest } from './api-keys.requests';
import { ApiKeysService } from './api-keys.service';

/** A business's own keys (spec §10). */
@Controller('api/client/api-keys')
@NeedsSession()
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @Responds(ApiKeysResponse, 'List the API keys')
  async list(@CurrentUser() user: BusinessUser) {
    const keys = await this.keys.list(user.business_id);
    return { api_keys: keys.map(({ business_id: _, ...record }) => record) };
  }

  @Post()
  @Responds(CreatedApiKeyResponse, 'Create an API key; it is shown this once', {
    errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'],
    repeatable: true,
  })
  async create(
    @CurrentUser() user: BusinessUser,
    @Body() request: CreateApiKeyRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { id, token, replayed } = await this.keys.create(user, request, idempotencyKey);
    markReplayed(reply, replayed);
    return { id, key: token, message: 'Copy the key now: it is not shown again.' };
  }

  @Patch(':id')
  @Responds(Done, 'Rename an API key, or change its expiry and its allowed addresses', { errors: ['CONFLICT'] })
  async edit(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number, @Body() request: EditApiKeyRequest) {
    await this.keys.edit(user, id, request);
    return { message: 'API key changed.' };
  }

  @Post(':id/rotate')
  @Responds(RotatedApiKeyResponse, 'Replace an API key; the old one works until the grace ends, and both share one daily count', {
    errors: ['CONFLICT'],
  })
  async rotate(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number, @Body() { grace_minutes }: RotateApiKeyRequest) {
    const { token, expires_at, old_expires_at, ...heir } = await this.keys.rotate(user, id, grace_minutes);
    const old = grace_minutes === 0 ? 'The old key has ended.' : 'The old key works until its grace ends.';
    return {
      id: heir.id,
      key: token,
      expires_at: expires_at && expires_at.toISOString(),
      old_expires_at: old_expires_at.toISOString(),
      message: `Copy the key now: it is not shown again. ${old}`,
    };
  }

  @Delete(':id')
  @Responds(Done, 'Revoke an API key')
  async revoke(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    await this.keys.revoke(user, id);
    return { message: 'API key revoked.' };
  }
}
