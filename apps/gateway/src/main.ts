import { runService } from '@mgw/service';
import { GatewayConfig } from './gateway.config';
import { GatewayModule } from './gateway.module';
import { startHttp } from './server/start-http';

void runService({ name: 'gateway', module: GatewayModule, config: GatewayConfig, schema: 'access', start: startHttp });
