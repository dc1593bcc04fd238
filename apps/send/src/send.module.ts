import { Module } from '@nestjs/common';
import { OutboxRelay } from '@mgw/events';
import { GraphClient } from '@mgw/platform-api';
import { Database } from '@mgw/postgres';
import { Sealer } from '@mgw/sealing';
import { figuresController, LOGGER, NATS, retention } from '@mgw/service';
import { ConnectionService } from './connection/connection.service';
import { ConversationService } from './conversations/conversation.service';
import { ConversationStore } from './conversations/conversation.store';
import { InboxHandlers } from './inbox/inbox.handlers';
import { InboxStore } from './inbox/inbox.store';
import { InboundService } from './inbound/inbound.service';
import { InboundStore } from './inbound/inbound.store';
import { FindSendService } from './sending/find-send.service';
import { IntentStore } from './intents/intent.store';
import { OutcomeService } from './intents/outcome.service';
import { OutcomeStore } from './intents/outcome.store';
import { ReservationService } from './intents/reservation.service';
import { ReservationStore } from './intents/reservation.store';
import { RefusalEffects } from './platform-errors/refusal-effects.service';
import { METRICS } from './metrics';
import { sendRetention } from './retention';
import { SendConfig } from './send.config';
import { SendPipeline } from './sending/send-pipeline.service';
import { OtpService } from './sending/otp.service';
import { OtpStore } from './sending/otp.store';
import { SendHandlers } from './sending/send.handlers';
import { SendService } from './sending/send.service';
import { FailureEffects } from './platform-errors/failure-effects.service';
import { PlatformEventsConsumer } from './platform-events.consumer';
import { LateAcceptanceService } from './intents/late-acceptance.service';
import { IntentSweeper } from './intents/intent-sweeper.service';
import { PreferenceService } from './suppression/preference.service';
import { SettingsHandlers } from './settings/settings.handlers';
import { SettingsStore } from './settings/settings.store';
import { SuppressionHandlers } from './suppression/suppression.handlers';
import { SuppressionStore } from './suppression/suppression.store';
import { TemplateService } from './templates/template.service';
import { WindowStore } from './window/window.store';

const stores = [
  ConversationStore,
  InboundStore,
  InboxStore,
  IntentStore,
  OtpStore,
  OutcomeStore,
  ReservationStore,
  SettingsStore,
  SuppressionStore,
  WindowStore,
];
const services = [
  ConnectionService,
  ConversationService,
  SendPipeline,
  FailureEffects,
  FindSendService,
  PlatformEventsConsumer,
  InboundService,
  OtpService,
  OutcomeService,
  PreferenceService,
  RefusalEffects,
  ReservationService,
  SendService,
  LateAcceptanceService,
  IntentSweeper,
  TemplateService,
];

/** Half of the concurrent requests may call the platform and three eighths may wait for a call. The rest make no calls. */
function platformSlots(rpcConcurrency: number) {
  return { connections: rpcConcurrency >> 1, waiting: (rpcConcurrency * 3) >> 3 };
}

@Module({
  controllers: [SendHandlers, InboxHandlers, SettingsHandlers, SuppressionHandlers, figuresController('send', 'send', METRICS)],
  providers: [
    ...stores,
    ...services,
    retention(SendConfig, sendRetention),
    { provide: Sealer, inject: [SendConfig], useFactory: ({ sealer }: SendConfig) => sealer },
    {
      provide: GraphClient,
      inject: [SendConfig],
      useFactory: ({ graphBaseUrl: baseUrl, graphVersion: version, rpcConcurrency }: SendConfig) =>
        new GraphClient({ baseUrl, version, ...platformSlots(rpcConcurrency) }),
    },
    {
      provide: OutboxRelay,
      inject: [Database, NATS, LOGGER],
      useFactory: (db: Database, nc, logger) => new OutboxRelay({ db, nc, logger, schema: 'send', streams: ['PUBLIC', 'SENDING'] }),
    },
  ],
})
export class SendModule {}
