import { Controller, Get, Param, Query } from '@nestjs/common';
import { FindConversation } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { CurrentKey, Needs, RestApi } from '../access/rest-api';
import type { KeyAccess } from '../api-keys/key-access';
import { MessageLog } from '../messages/message-log.service';
import { MessageLogQuery } from '../messages/messages.requests';
import { PhonePipe } from '../requests/phone.pipe';
import { Responds } from '../responses/responds';
import { ConversationResponse, MessagesByKeyResponse } from './api-v1.responses';

/** Messages and conversations by key (decision 363). */
@Controller('api/v1')
@RestApi()
export class MessagesByKeyController {
  constructor(
    private readonly log: MessageLog,
    private readonly rpc: RpcClient,
  ) {}

  @Get('messages')
  @Needs('read_messages')
  @Responds(MessagesByKeyResponse, 'List messages in both directions, the newest first', { errors: ['QUERY_TIMEOUT'] })
  async list(@CurrentKey() { business }: KeyAccess, @Query() query: MessageLogQuery) {
    return { success: true as const, ...(await this.log.list(business.id, query)) };
  }

  @Get('conversations/:phone')
  @Needs('read_messages')
  @Responds(ConversationResponse, 'Show a person’s window, suppression and last message', {
    errors: ['VALIDATION_FAILED', 'QUERY_TIMEOUT'],
  })
  async conversation(@CurrentKey() { business }: KeyAccess, @Param('phone', PhonePipe) phone: string) {
    const { conversation } = await this.rpc.call(FindConversation, { business_id: business.id, phone });
    return {
      success: true as const,
      session_window: conversation?.session_window ?? { open: false, last_inbound_at: null, closes_at: null },
      suppression_state: conversation?.suppression_state ?? null,
      last_message_at: conversation?.last_message?.at ?? null,
    };
  }
}
