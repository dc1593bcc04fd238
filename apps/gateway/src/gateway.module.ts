import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { AccessDataModule } from './access-data.module';
import { ApiKeyStrategy } from './access/api-key.strategy';
import { KeyCache } from './access/key-cache';
import { WrongKeys } from './access/wrong-keys';
import { HealthController } from './api-v1/health.controller';
import { MessageStatusController } from './api-v1/message-status.controller';
import { QuickSendController } from './api-v1/quick-send.controller';
import { SendController } from './api-v1/send.controller';
import { SendsService } from './api-v1/sends.service';
import { TemplatesController } from './api-v1/templates.controller';
import { ClientModule } from './client.module';
import { Draining } from './http/draining';
import { GlobalLimit } from './limits/global-limit';
import { RateLimitService } from './limits/rate-limit.service';
import { RateLimitStore } from './limits/rate-limit.store';
import { OperatorModule } from './operator.module';

/** The REST API (spec §4.1 to §4.8) beside the dashboard's and the operator's. */
@Module({
  imports: [AccessDataModule, PassportModule, ClientModule, OperatorModule],
  controllers: [HealthController, TemplatesController, SendController, QuickSendController, MessageStatusController],
  providers: [ApiKeyStrategy, Draining, GlobalLimit, KeyCache, RateLimitService, RateLimitStore, SendsService, WrongKeys],
})
export class GatewayModule {}
