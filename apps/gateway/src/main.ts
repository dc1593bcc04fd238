import { runCommand, type Service } from '@mgw/service';
import { GatewayConfig } from './gateway.config';
import { GatewayModule } from './gateway.module';
import { Baseline1795305600000 } from './migrations/1795305600000-baseline';
import { Accounts1795387200000 } from './migrations/1795387200000-accounts';
import { KeyRotation1795389000000 } from './migrations/1795389000000-key-rotation';
import { Roles1795396000000 } from './migrations/1795396000000-roles';
import { BroadcastLimit1795651200000 } from './migrations/1795651200000-broadcast-limit';
import { Erasures1795651300000 } from './migrations/1795651300000-erasures';
import { Operator1795651400000 } from './migrations/1795651400000-operator';
import { Totp1795651600000 } from './migrations/1795651600000-totp';
import { Oidc1795651700000 } from './migrations/1795651700000-oidc';
import { ForgottenPasswords1795738000000 } from './migrations/1795738000000-forgotten-passwords';
import { ErasureRounds1795738100000 } from './migrations/1795738100000-erasure-rounds';
import { startHttp } from './server/start-http';
import { createOperator } from './users/operator.command';

export const service: Service<GatewayConfig> = {
  name: 'gateway',
  module: GatewayModule,
  config: GatewayConfig,
  schema: 'access',
  migrations: [
    Baseline1795305600000,
    Accounts1795387200000,
    KeyRotation1795389000000,
    Roles1795396000000,
    BroadcastLimit1795651200000,
    Erasures1795651300000,
    Operator1795651400000,
    Totp1795651600000,
    Oidc1795651700000,
    ForgottenPasswords1795738000000,
    ErasureRounds1795738100000,
  ],
  sources: __dirname,
  start: startHttp,
  deadLetterBusiness: null,
  commands: { 'create-operator': createOperator },
};

if (require.main === module) void runCommand(service);
