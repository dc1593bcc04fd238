import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { Sealer } from '@mgw/sealing';
import { AccessDataModule } from './access-data.module';
import { ApiKeysController } from './api-keys/api-keys.controller';
import { ApiKeysService } from './api-keys/api-keys.service';
import { DailyUsage } from './api-keys/daily-usage';
import { ConnectionController } from './connection/connection.controller';
import { ConnectionService } from './connection/connection.service';
import { ClientTemplatesController } from './connection/templates.controller';
import { GatewayConfig } from './gateway.config';
import { LoginController } from './sessions/login.controller';
import { LoginService } from './sessions/login.service';
import { MeService } from './sessions/me.service';
import { SessionStrategy } from './sessions/session.strategy';
import { WebhooksController } from './webhooks/webhooks.controller';

/** The dashboard-session API (spec §4.9, product §2). */
@Module({
  imports: [AccessDataModule, PassportModule],
  controllers: [LoginController, ApiKeysController, WebhooksController, ConnectionController, ClientTemplatesController],
  providers: [
    SessionStrategy,
    LoginService,
    MeService,
    ApiKeysService,
    DailyUsage,
    ConnectionService,
    { provide: Sealer, inject: [GatewayConfig], useFactory: (config: GatewayConfig) => new Sealer(config.sealingKeys) },
  ],
  exports: [ApiKeysService],
})
export class ClientModule {}
