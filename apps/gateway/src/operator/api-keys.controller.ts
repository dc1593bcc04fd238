import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { AllApiKeysResponse } from '../api-keys/api-key.record';
import { ChangeApiKeyRequest } from '../api-keys/api-keys.requests';
import { ApiKeysService } from '../api-keys/api-keys.service';
import { IsIdText, Optional } from '../requests/field-rules';
import { IdPipe } from '../requests/id.pipe';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { SessionUser } from '../sessions/session-user';

class ListApiKeysQuery {
  @Optional(IsIdText())
  business_id?: string;
}

/** The keys of one business or of all: their limits and their expiry (spec §11). */
@Controller('api/admin/api-keys')
@NeedsSession()
export class OperatorApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @Responds(AllApiKeysResponse, 'List the API keys of one business or of all')
  async list(@Query() { business_id }: ListApiKeysQuery) {
    return { api_keys: await this.keys.list(business_id === undefined ? null : Number(business_id)) };
  }

  @Patch(':id')
  @Responds(Done, 'Change the limits of an API key')
  async change(@CurrentUser() operator: SessionUser, @Param('id', IdPipe) id: number, @Body() request: ChangeApiKeyRequest) {
    await this.keys.change(operator, id, request);
    return { message: 'API key changed.' };
  }
}
