import { Type } from '@sinclair/typebox';
import { operation } from './operation';

/** The services behind the gateway that have a schema of their own. */
export const SERVICES = [
  'send',
  'template',
  'status',
  'platform-webhook-ingest',
  'outbound-webhook-dispatcher',
  'broadcast',
  'auto-reply',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Metrics of a service for an operator: backlogs, ages and rates, by name. */
export const getServiceMetrics = (service: ServiceName) =>
  operation(service, 'metrics', {
    request: Type.Object({}),
    response: Type.Object({ metrics: Type.Record(Type.String(), Type.Number()) }),
    deadlineMs: 2_000,
    isRead: true,
  });
