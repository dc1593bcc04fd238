import { Module } from '@nestjs/common';
import { GraphClient } from '@mgw/platform-api';
import { operatorControllers, outboxRelay, personalDataController, retention, sealerOf, storedSecrets, WantedEvents } from '@mgw/service';
import { ConnectionService } from './connection/connection.service';
import { ConversationService } from './conversations/conversation.service';
import { ConversationStore } from './conversations/conversation.store';
import { MessageOwnerStore } from './conversations/message-owner.store';
import { InboundService } from './inbound/inbound.service';
import { InboundStore } from './inbound/inbound.store';
import { MessageChangesStore } from './inbound/message-changes.store';
import { InboundLogStore } from './inbox/inbound-log.store';
import { InboxListsHandlers } from './inbox/inbox-lists.handlers';
import { ConversationChangesStore } from './inbox/conversation-changes.store';
import { InboxHandlers } from './inbox/inbox.handlers';
import { InboxStore } from './inbox/inbox.store';
import { SearchIndex } from './inbox/search-index.service';
import { ThreadStore } from './inbox/thread.store';
import { IntentSweeper } from './intents/intent-sweeper.service';
import { IntentStore } from './intents/intent.store';
import { LateAcceptanceService } from './intents/late-acceptance.service';
import { OutcomeService } from './intents/outcome.service';
import { OutcomeStore } from './intents/outcome.store';
import { ReservationService } from './intents/reservation.service';
import { ReservationStore } from './intents/reservation.store';
import { MediaHandlers } from './media/media.handlers';
import { MediaStore } from './media/media.store';
import { StoredFilesStore } from './media/stored-files.store';
import { METRICS } from './metrics';
import { ErasedOptOuts } from './people/erased-opt-outs';
import { PeopleHandlers } from './people/people.handlers';
import { PeopleStore } from './people/people.store';
import { sendPersonalData } from './people/personal-data';
import { FailureEffects } from './platform-errors/failure-effects.service';
import { RefusalEffects } from './platform-errors/refusal-effects.service';
import { PlatformEventsConsumer } from './platform-events.consumer';
import { PublishedEventsHandlers } from './published-events.handlers';
import { ReceiptHandlers } from './receipts/receipt.handlers';
import { ReceiptService } from './receipts/receipt.service';
import { ReceiptStore } from './receipts/receipt.store';
import { sendRetention } from './retention';
import { SendConfig } from './send.config';
import { DryRunService } from './sending/dry-run.service';
import { FindSendsService } from './sending/find-sends.service';
import { MessageChecks } from './sending/message-checks.service';
import { MessageKinds } from './sending/message-kinds.service';
import { OtpService } from './sending/otp.service';
import { OtpStore } from './sending/otp.store';
import { PlatformSendService } from './sending/platform-send.service';
import { SendPipeline } from './sending/send-pipeline.service';
import { SendHandlers } from './sending/send.handlers';
import { SettingsHandlers } from './settings/settings.handlers';
import { SettingsStore } from './settings/settings.store';
import { PreferenceService } from './suppression/preference.service';
import { SuppressionChanges } from './suppression/suppression-changes.service';
import { SuppressionHandlers } from './suppression/suppression.handlers';
import { SuppressionStore } from './suppression/suppression.store';
import { TemplateService } from './templates/template.service';
import { WindowStore } from './window/window.store';

const sending = [MessageKinds, MessageChecks, DryRunService, OtpService, OtpStore, SendPipeline, PlatformSendService, FindSendsService];
const requiredData = [ConnectionService, TemplateService];
const intents = [ReservationService, ReservationStore, OutcomeService, OutcomeStore, LateAcceptanceService, IntentSweeper, IntentStore];
const platformErrors = [RefusalEffects, FailureEffects];
const inbound = [PlatformEventsConsumer, InboundService, InboundStore, MessageChangesStore];
const people = [
  ConversationService,
  ConversationStore,
  MessageOwnerStore,
  WindowStore,
  SuppressionStore,
  SuppressionChanges,
  PreferenceService,
  SettingsStore,
  PeopleStore,
  ErasedOptOuts,
  WantedEvents,
];

/** One-time passwords and the requests of Idempotency-Keys are sealed too, but live for 25 hours only. */
const SEALED = [{ table: 'send.erasure_keys', key: 'business_id', column: 'key_sealed', context: `'send.erasure_key:' || business_id` }];

/** Half of the concurrent requests may call the platform and three eighths may wait for a call. The rest make no calls. */
function platformSlots(rpcConcurrency: number) {
  return { connections: rpcConcurrency >> 1, waiting: (rpcConcurrency * 3) >> 3 };
}

@Module({
  controllers: [
    SendHandlers,
    ReceiptHandlers,
    InboxHandlers,
    MediaHandlers,
    InboxListsHandlers,
    SettingsHandlers,
    SuppressionHandlers,
    PeopleHandlers,
    PublishedEventsHandlers,
    ...operatorControllers('send', 'send', METRICS),
    personalDataController('send', 'send', sendPersonalData),
  ],
  providers: [
    ...sending,
    ...requiredData,
    ...intents,
    ...platformErrors,
    ...inbound,
    ...people,
    ReceiptService,
    ReceiptStore,
    InboxStore,
    InboundLogStore,
    ConversationChangesStore,
    SearchIndex,
    ThreadStore,
    MediaStore,
    StoredFilesStore,
    retention(SendConfig, sendRetention),
    storedSecrets('send', SEALED),
    sealerOf(SendConfig),
    {
      provide: GraphClient,
      inject: [SendConfig],
      useFactory: ({ graphBaseUrl: baseUrl, graphVersion: version, rpcConcurrency }: SendConfig) =>
        new GraphClient({ baseUrl, version, ...platformSlots(rpcConcurrency) }),
    },
    outboxRelay(['PUBLIC', 'SENDING']),
  ],
})
export class SendModule {}
