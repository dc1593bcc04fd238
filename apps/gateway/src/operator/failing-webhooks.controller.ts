import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { ListFailingWebhooks } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Responds } from '../responses/responds';
import { NeedsSession } from '../sessions/roles.guard';

const FailingWebhooksResponse = Type.Object(ListFailingWebhooks.response.properties, { title: 'FailingWebhooks' });

/** The webhooks of all businesses whose last deliveries failed. */
@Controller('api/admin/failing-webhooks')
@NeedsSession()
export class FailingWebhooksController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Responds(FailingWebhooksResponse, 'List the failing webhooks of all businesses, the worst first')
  list() {
    return this.rpc.call(ListFailingWebhooks, {});
  }
}
