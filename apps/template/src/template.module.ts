import { Module } from '@nestjs/common';
import { GraphClient } from '@mgw/platform-api';
import { operatorControllers, outboxRelay, retention, sealerOf, storedSecrets, WantedEvents } from '@mgw/service';
import { CALLS_OF_A_CHECK, ConnectionChecks, MAX_CHECKS } from './connections/connection-checks.service';
import { ConnectionsHandlers } from './connections/connections.handlers';
import { ConnectionsStore } from './connections/connections.store';
import { AccountUpdates } from './connections/account-updates.service';
import { ProbeService, MAX_PROBES } from './connections/probe.service';
import { TemplateConfig } from './template.config';
import { PlatformEventsConsumer } from './platform-events.consumer';
import { SyncService, MAX_SYNCS } from './templates/sync.service';
import { SyncsStore } from './templates/syncs.store';
import { MAX_WRITES, TemplateEditor } from './templates/template-editor.service';
import { TemplateStatusEvents } from './templates/template-status-events.service';
import { TemplateUpdates } from './templates/template-updates.service';
import { TemplatesHandlers } from './templates/templates.handlers';
import { TemplatesStore } from './templates/templates.store';

const METRICS = {
  connections: 'SELECT count(*) FROM template.connections',
  connections_with_problem: `SELECT count(*) FROM template.connections WHERE status = 'problem'`,
  syncs_failed: `SELECT count(*) FROM template.syncs WHERE state = 'failed'`,
};

/** The previous app secret has the context of the current one. */
const SEALED = [
  ['access_token_sealed', 'access_token'],
  ['app_secret_sealed', 'app_secret'],
  ['previous_app_secret_sealed', 'app_secret'],
  ['verify_token_sealed', 'verify_token'],
].map(([column = '', secret]) => ({
  table: 'template.connections',
  key: 'business_id',
  column,
  context: `'connection.${secret}:' || business_id`,
}));

@Module({
  controllers: [ConnectionsHandlers, TemplatesHandlers, ...operatorControllers('template', 'template', METRICS)],
  providers: [
    AccountUpdates,
    PlatformEventsConsumer,
    ConnectionChecks,
    ConnectionsStore,
    ProbeService,
    SyncService,
    SyncsStore,
    TemplateStatusEvents,
    TemplateUpdates,
    TemplateEditor,
    TemplatesStore,
    WantedEvents,
    outboxRelay(['PUBLIC']),
    retention(TemplateConfig),
    storedSecrets('template', SEALED),
    sealerOf(TemplateConfig),
    {
      provide: GraphClient,
      inject: [TemplateConfig],
      useFactory: (config: TemplateConfig) =>
        new GraphClient({
          baseUrl: config.graphBaseUrl,
          version: config.graphVersion,
          connections: MAX_PROBES + MAX_SYNCS + MAX_WRITES + MAX_CHECKS * CALLS_OF_A_CHECK,
        }),
    },
  ],
})
export class TemplateModule {}
