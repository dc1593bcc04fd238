import { config, env } from '@mgw/config';
import { egressSettings } from '@mgw/egress';
import { databaseSettings, retentionSettings, sealingSettings, serviceSettings } from '@mgw/service';

export class DispatcherConfig extends config('outbound-webhook-dispatcher', {
  ...serviceSettings,
  ...databaseSettings,
  ...sealingSettings,
  ...retentionSettings,
  ...egressSettings,
  deliveriesDays: env.integer('RETENTION_DELIVERIES_DAYS', {
    doc: 'days to keep deliveries in the log after their end',
    default: 30,
    min: 7,
    max: 3_650,
  }),
  eventsDays: env.integer('RETENTION_EVENTS_DAYS', {
    doc: 'days to keep events in the feed of their business',
    default: 7,
    min: 1,
    max: 3_650,
  }),
  responseWithinMs: env.integer('WEBHOOK_ANSWER_WITHIN_MS', {
    doc: 'how long a receiver has to respond, counted from the first DNS query; the specification requires ten seconds',
    default: 10_000,
    min: 100,
    max: 60_000,
  }),
}) {}
