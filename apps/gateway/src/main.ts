import { migrationsIn } from '@mgw/postgres';
import { runCommand, type Service } from '@mgw/service';
import { GatewayConfig } from './gateway.config';
import { GatewayModule } from './gateway.module';
import { startHttp } from './server/start-http';
import { createOperator } from './users/operator.command';

export const service: Service<GatewayConfig> = {
  name: 'gateway',
  module: GatewayModule,
  config: GatewayConfig,
  schema: 'access',
  migrations: migrationsIn(__dirname),
  sources: __dirname,
  // Bodies from outside take the rest of the heap (guarantees §11).
  requestBytes: 1024 ** 2,
  start: startHttp,
  deadLetterBusiness: null,
  commands: { 'create-operator': createOperator },
};

if (require.main === module) void runCommand(service);
