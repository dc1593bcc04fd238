import { Body, Controller, Post, Req } from '@nestjs/common';
import { MarkRead } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { FastifyRequest } from 'fastify';
import { CurrentKey, Needs, RestApi } from '../access/rest-api';
import type { KeyAccess } from '../api-keys/key-access';
import { Responds } from '../responses/responds';
import { Succeeded } from './api-v1.responses';
import { Type } from '@sinclair/typebox';
import { JSONSchema } from 'class-validator-jsonschema';
import { HasShape, IsMessageId, Optional } from '../requests/field-rules';
import { IgnoresUnknownFields } from '../requests/request.pipe';

@IgnoresUnknownFields()
@JSONSchema({ example: { message_id: 'wamid.HBgLMTIwMTU1NTAxMDAVAgASGBQzQTlGMkMwRTdCNUQxMzY4MEEA', typing: true } })
class MarkReadRequest {
  @JSONSchema({ description: 'The `message_id` of an event `message.received`.' })
  @IsMessageId()
  message_id!: string;

  @Optional(
    HasShape(Type.Boolean({ description: 'Whether the customer sees that you are typing, for 25 seconds or until your next message.' })),
  )
  typing?: boolean | null;
}

@Controller('api/v1/mark-read')
@RestApi()
export class MarkReadController {
  constructor(private readonly rpc: RpcClient) {}

  /** Takes no Idempotency-Key, because a repeated call has no further effect (decision 330). */
  @Post()
  @Needs('send_text')
  @Responds(Succeeded, 'Mark a customer’s message as read, and show typing', { errors: MarkRead.errors, repeatable: false })
  async markRead(@CurrentKey() { business }: KeyAccess, @Req() { id }: FastifyRequest, @Body() { message_id, typing }: MarkReadRequest) {
    await this.rpc.call(MarkRead, { business_id: business.id, message_id, typing: typing === true }, { requestId: id });
    return { success: true as const };
  }
}
