import { Body, Controller, Get, Post, Put } from '@nestjs/common';
import { CheckConnection, SubscribeToAccount } from '@mgw/contracts';
import { GatewayConfig } from '../gateway.config';
import { PLATFORM_WEBHOOK } from '../platform/platform-webhook.routes';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { SetConnectionRequest } from './connection.requests';
import { ConnectionChecksResponse, ConnectionResponse } from './connection.responses';
import { ConnectionService } from './connection.service';

/** The business's connection to the platform (spec §10). */
@Controller('api/client/connection')
@NeedsSession()
export class ConnectionController {
  constructor(
    private readonly connections: ConnectionService,
    private readonly config: GatewayConfig,
  ) {}

  @Get()
  @Responds(ConnectionResponse, 'Show the messaging connection')
  async show(@CurrentUser() user: BusinessUser) {
    const connection = await this.connections.view(user.business_id);
    return { ...connection, callback_url: this.callbackUrl() };
  }

  @Get('checks')
  @Responds(ConnectionChecksResponse, 'Check each part of the connection at WhatsApp', { errors: CheckConnection.errors })
  checks(@CurrentUser() user: BusinessUser) {
    return this.connections.checks(user.business_id, this.callbackUrl());
  }

  @Post('subscribe')
  @Responds(Done, 'Subscribe the app to the business account, so that callbacks arrive', { errors: SubscribeToAccount.errors })
  async subscribe(@CurrentUser() user: BusinessUser) {
    await this.connections.subscribe(user);
    return { message: 'Subscribed. WhatsApp posts messages and statuses of this account from now on.' };
  }

  @Put()
  @Responds(Done, 'Set up or change the messaging connection')
  async set(@CurrentUser() user: BusinessUser, @Body() request: SetConnectionRequest) {
    await this.connections.set(user, request);
    return { message: 'Connection saved. It is being checked; see its status in a moment.' };
  }

  private callbackUrl(): string {
    return new URL(PLATFORM_WEBHOOK, this.config.publicUrl).toString();
  }
}
