import { config, env } from '@mgw/config';
import { graphSettings } from '@mgw/platform-api';
import { databaseSettings, retentionSettings, sealingSettings, serviceSettings } from '@mgw/service';

export class SendConfig extends config('send', {
  ...serviceSettings,
  ...databaseSettings,
  ...sealingSettings,
  ...retentionSettings,
  rpcConcurrency: env.integer('RPC_CONCURRENCY', {
    doc: 'concurrent requests; more are refused. Half of them may call WhatsApp; one number gets a quarter of those calls',
    default: 2_048,
    min: 16,
    max: 100_000,
  }),
  messagesDays: env.integer('RETENTION_MESSAGES_DAYS', {
    doc: 'days to keep messages of both directions; whole months are deleted, so some messages stay up to a month longer. Set the same value for send and status',
    default: 400,
    min: 31,
    max: 36_500,
  }),
  ...graphSettings,
  publicUrl: env.url('PUBLIC_URL', {
    doc: 'public address of the gateway, for the addresses of files in events',
    origin: true,
    default: 'http://localhost:8080',
  }),
  staleAfterSeconds: env.integer('SEND_STALE_AFTER_SECONDS', {
    doc: 'age at which a send without an outcome becomes unknown; must exceed the longest request',
    default: 90,
    min: 1,
    max: 3_600,
  }),
}) {}
