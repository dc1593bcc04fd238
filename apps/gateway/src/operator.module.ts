import { Module } from '@nestjs/common';
import { AccessDataModule } from './access-data.module';
import { ClientModule } from './client.module';
import { OperatorApiKeysController } from './operator/api-keys.controller';
import { BusinessesController } from './operator/businesses.controller';
import { LimitsController } from './operator/limits.controller';
import { OverviewController } from './operator/overview.controller';

/** The operator API (product §3), behind the same login as the dashboard. */
@Module({
  imports: [AccessDataModule, ClientModule],
  controllers: [BusinessesController, OperatorApiKeysController, LimitsController, OverviewController],
})
export class OperatorModule {}
