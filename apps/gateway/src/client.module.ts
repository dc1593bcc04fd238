import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { Sealer } from '@mgw/sealing';
import { AccessDataModule } from './access-data.module';
import { ApiKeysController } from './api-keys/api-keys.controller';
import { ApiKeysService } from './api-keys/api-keys.service';
import { DailyUsage } from './api-keys/daily-usage';
import { AutoReplyController } from './auto-reply/auto-reply.controller';
import { BroadcastsController } from './broadcasts/broadcasts.controller';
import { BusinessesService } from './businesses/businesses.service';
import { ConnectionController } from './connection/connection.controller';
import { ConnectionService } from './connection/connection.service';
import { ClientTemplatesController } from './connection/templates.controller';
import { ConversationsController } from './conversations/conversations.controller';
import { EventStreamController } from './events/event-stream.controller';
import { EventStreamService } from './events/event-stream.service';
import { GatewayConfig } from './gateway.config';
import { MessagesController } from './messages/messages.controller';
import { UsageController } from './messages/usage.controller';
import { LoginController } from './sessions/login.controller';
import { LoginService } from './sessions/login.service';
import { MeService } from './sessions/me.service';
import { SessionStrategy } from './sessions/session.strategy';
import { SettingsController } from './settings/settings.controller';
import { SuppressionsController } from './suppressions/suppressions.controller';
import { TeamController } from './team/team.controller';
import { UsersService } from './users/users.service';
import { DeliveriesController } from './webhooks/deliveries.controller';
import { WebhooksController } from './webhooks/webhooks.controller';

/** The dashboard-session API (spec §4.9, product §2). */
@Module({
  imports: [AccessDataModule, PassportModule],
  controllers: [
    LoginController,
    ApiKeysController,
    WebhooksController,
    DeliveriesController,
    ConnectionController,
    ClientTemplatesController,
    MessagesController,
    UsageController,
    ConversationsController,
    SuppressionsController,
    SettingsController,
    TeamController,
    EventStreamController,
    BroadcastsController,
    AutoReplyController,
  ],
  providers: [
    SessionStrategy,
    LoginService,
    MeService,
    ApiKeysService,
    BusinessesService,
    UsersService,
    DailyUsage,
    EventStreamService,
    ConnectionService,
    { provide: Sealer, inject: [GatewayConfig], useFactory: ({ sealer }: GatewayConfig) => sealer },
  ],
  exports: [ApiKeysService, BusinessesService, UsersService],
})
export class ClientModule {}
