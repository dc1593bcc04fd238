import { env } from '@mgw/config';
import { Egress } from './egress';
import { allowedTarget, EgressRules } from './rules';

/** Settings of every service that calls addresses of customers. */
export const egressSettings = {
  nodeEnv: env.nodeEnv('"production" allows public https addresses only'),
  allowedTargets: env.list(
    'WEBHOOK_ALLOWED_TARGETS',
    {
      doc: 'hosts or CIDRs, each with an optional :port, that webhooks and models may have although they are not public; ignored in production',
      default: '',
    },
    allowedTarget,
  ),
  ports: env.ports('WEBHOOK_PORTS', { doc: 'ports of public hosts that webhooks and models may use', default: '443,8443' }),
};

interface EgressConfig {
  nodeEnv: string;
  allowedTargets: string[];
  ports: number[];
}

/** Provides Egress and its rules for a configuration with `egressSettings`. */
export function egressOf<C extends EgressConfig>(config: new () => C) {
  return [
    {
      provide: EgressRules,
      inject: [config],
      useFactory: ({ nodeEnv, allowedTargets, ports }: C) =>
        new EgressRules({ allowedTargets: nodeEnv === 'production' ? [] : allowedTargets, ports }),
    },
    { provide: Egress, inject: [EgressRules], useFactory: (rules: EgressRules) => new Egress(rules) },
  ];
}
