import { Controller, Get, Req, Res } from '@nestjs/common';
import { ListApprovedTemplates } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentKey, RestApi } from '../access/rest-api';
import type { KeyAccess } from '../api-keys/key-access';
import { Answers } from '../openapi/answers';
import { TemplatesReply } from './replies';
import { wholeList } from './whole-list';

@Controller('api/v1/templates')
@RestApi()
export class TemplatesController {
  constructor(private readonly rpc: RpcClient) {}

  /** Spec §4.2. */
  @Get()
  @Answers(TemplatesReply, 'List the approved templates')
  list(@CurrentKey() { business }: KeyAccess, @Req() { id }: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const business_id = business.id;
    return wholeList(reply, async (place) => ({
      success: true as const,
      ...(await this.rpc.call(ListApprovedTemplates, { business_id, ...place }, { requestId: id })),
    }));
  }
}
