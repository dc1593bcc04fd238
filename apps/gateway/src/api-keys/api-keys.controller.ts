import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { IdPipe } from '../requests/id.pipe';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, Roles, SessionOf } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { ApiKeysResponse, CreatedApiKeyResponse } from './api-key.record';
import { CreateApiKeyRequest } from './api-keys.requests';
import { ApiKeysService } from './api-keys.service';

/** A business's own keys (spec §10). */
@Controller('api/client/api-keys')
@SessionOf('owner', 'member')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @Responds(ApiKeysResponse, 'List the API keys')
  async list(@CurrentUser() user: BusinessUser) {
    const keys = await this.keys.list(user.business_id);
    return { api_keys: keys.map(({ business_id: _, ...record }) => record) };
  }

  @Post()
  @Roles(['owner'])
  @Responds(CreatedApiKeyResponse, 'Create an API key; it is shown this once', { errors: ['CONFLICT'] })
  async create(@CurrentUser() user: BusinessUser, @Body() request: CreateApiKeyRequest) {
    const { id, token } = await this.keys.create(user, request);
    return { id, key: token, message: 'Copy the key now: it is not shown again.' };
  }

  @Delete(':id')
  @Roles(['owner'])
  @Responds(Done, 'Revoke an API key')
  async revoke(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    await this.keys.revoke(user, id);
    return { message: 'API key revoked.' };
  }
}
