import { Controller, Get, Req, Res } from '@nestjs/common';
import { ListApprovedTemplates } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentKey, RestApi } from '../access/rest-api';
import type { KeyAccess } from '../api-keys/key-access';
import { Responds } from '../responses/responds';
import { templateList } from '../templates/template-list';
import { TemplatesResponse } from './api-v1.responses';

@Controller('api/v1/templates')
@RestApi()
export class TemplatesController {
  constructor(private readonly rpc: RpcClient) {}

  /** Spec §4.2. */
  @Get()
  @Responds(TemplatesResponse, 'List the approved templates')
  list(@CurrentKey() { business }: KeyAccess, @Req() { id }: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const business_id = business.id;
    return templateList(reply, async (position) => ({
      success: true as const,
      ...(await this.rpc.call(ListApprovedTemplates, { business_id, ...position }, { requestId: id })),
    }));
  }
}
