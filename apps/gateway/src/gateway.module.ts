import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { MediaDownloads } from '@mgw/media';
import { GraphClient } from '@mgw/platform-api';
import { sealerOf, storedSecrets } from '@mgw/service';
import { AccessHandlers } from './access/access.handlers';
import { ApiKeyStrategy } from './access/api-key.strategy';
import { KeyCache } from './access/key-cache';
import { WrongKeys } from './access/wrong-keys';
import { ApiKeysController } from './api-keys/api-keys.controller';
import { ApiKeysService } from './api-keys/api-keys.service';
import { ApiKeysStore } from './api-keys/api-keys.store';
import { DailyUsage } from './api-keys/daily-usage';
import { EventsController } from './api-v1/events.controller';
import { BroadcastsByKeyController } from './api-v1/broadcasts-by-key.controller';
import { HealthController } from './api-v1/health.controller';
import { MarkReadController } from './api-v1/mark-read.controller';
import { MediaController } from './api-v1/media.controller';
import { MessageStatusController } from './api-v1/message-status.controller';
import { MessagesByKeyController } from './api-v1/messages-by-key.controller';
import { QuickSendController } from './api-v1/quick-send.controller';
import { SendEndpoints } from './api-v1/send-endpoints.service';
import { SendController } from './api-v1/send.controller';
import { SuppressionsByKeyController } from './api-v1/suppressions-by-key.controller';
import { TemplatesController } from './api-v1/templates.controller';
import { WebhooksByKeyController } from './api-v1/webhooks-by-key.controller';
import { AuditLogController, OperatorAuditLogController } from './audit-log/audit-log.controller';
import { AuditLogService } from './audit-log/audit-log.service';
import { AuditStore } from './audit/audit.store';
import { AutoReplyController } from './auto-reply/auto-reply.controller';
import { BroadcastsController } from './broadcasts/broadcasts.controller';
import { BroadcastsService } from './broadcasts/broadcasts.service';
import { BusinessesService } from './businesses/businesses.service';
import { BusinessesStore } from './businesses/businesses.store';
import { ConnectionController } from './connection/connection.controller';
import { ConnectionService } from './connection/connection.service';
import { AgentSends } from './conversations/agent-sends.service';
import { ConversationsController } from './conversations/conversations.controller';
import { EventFeedService } from './events/event-feed.service';
import { LabelsController } from './conversations/labels.controller';
import { NewMessageController } from './conversations/new-message.controller';
import { QuickRepliesController } from './conversations/quick-replies.controller';
import { EventStreamController } from './events/event-stream.controller';
import { EventStreamService } from './events/event-stream.service';
import { GatewayConfig } from './gateway.config';
import { Draining } from './http/draining';
import { GlobalLimit } from './limits/global-limit';
import { LimitsStore } from './limits/limits.store';
import { RateLimitService } from './limits/rate-limit.service';
import { RateLimitStore } from './limits/rate-limit.store';
import { AccountController } from './login/account.controller';
import { AccountService } from './login/account.service';
import { LoginController } from './login/login.controller';
import { LoginService } from './login/login.service';
import { MeService } from './login/me.service';
import { OidcService } from './login/oidc.service';
import { SecondStep } from './login/second-step.service';
import { TotpController } from './login/totp.controller';
import { Mailer } from './mail/mailer';
import { ClientMediaController } from './media/client-media.controller';
import { FileKeeper } from './media/file-keeper.service';
import { fileStore } from './media/file-store';
import { MediaService } from './media/media.service';
import { PlatformFiles } from './media/platform-files';
import { Transfers } from './media/transfers';
import { UploadService } from './media/upload.service';
import { LogPeriodStore } from './messages/log-period.store';
import { MessageCountsService } from './messages/message-counts.service';
import { MessageLog } from './messages/message-log.service';
import { MessagesController } from './messages/messages.controller';
import { SentMessages } from './messages/sent-messages.service';
import { UsageController } from './messages/usage.controller';
import { OperatorApiKeysController } from './operator/api-keys.controller';
import { BusinessDetails } from './operator/business-details';
import { BusinessesController } from './operator/businesses.controller';
import { DeadLettersController } from './operator/dead-letters.controller';
import { FailingWebhooksController } from './operator/failing-webhooks.controller';
import { LimitsController } from './operator/limits.controller';
import { RateCardController } from './operator/rate-card.controller';
import { MetricSampler } from './operator/metric-sampler.service';
import { MetricSamplesStore } from './operator/metric-samples.store';
import { OverviewController } from './operator/overview.controller';
import { ServicesHealth } from './operator/services-health';
import { OperatorUsersController } from './operator/users.controller';
import { ErasureService } from './people/erasure.service';
import { ErasuresStore } from './people/erasures.store';
import { PeopleController } from './people/people.controller';
import { RequestLogController } from './request-log/request-log.controller';
import { RequestLog } from './request-log/request-log.service';
import { RequestLogStore } from './request-log/request-log.store';
import { Downloads } from './responses/downloads';
import { SendingService } from './sending/sending.service';
import { SessionStrategy } from './sessions/session.strategy';
import { SessionsStore } from './sessions/sessions.store';
import { SettingsController } from './settings/settings.controller';
import { SuppressionsController } from './suppressions/suppressions.controller';
import { SuppressionsService } from './suppressions/suppressions.service';
import { TeamController } from './team/team.controller';
import { ClientTemplatesController } from './templates/templates.controller';
import { TemplateUse } from './templates/template-use.service';
import { LoginAttemptsStore } from './users/login-attempts.store';
import { PasswordLinks } from './users/password-links';
import { PasswordLinksStore } from './users/password-links.store';
import { TotpService } from './users/totp.service';
import { TotpStore } from './users/totp.store';
import { UsersService } from './users/users.service';
import { UsersStore } from './users/users.store';
import { DeliveriesController } from './webhooks/deliveries.controller';
import { RecoveryController } from './webhooks/recovery.controller';
import { RecoveryService } from './webhooks/recovery.service';
import { WebhooksController } from './webhooks/webhooks.controller';
import { WebhooksService } from './webhooks/webhooks.service';

/** `/api/v1`, with an API key (spec §4.1 to §4.8, spec §9, decision 361). */
const REST_API = [
  HealthController,
  TemplatesController,
  SendController,
  QuickSendController,
  MarkReadController,
  MessageStatusController,
  MediaController,
  EventsController,
  MessagesByKeyController,
  BroadcastsByKeyController,
  SuppressionsByKeyController,
  WebhooksByKeyController,
];

/** `/api/client`, with a dashboard session (spec §4.9, §10). */
const DASHBOARD_API = [
  LoginController,
  TotpController,
  AccountController,
  ApiKeysController,
  WebhooksController,
  DeliveriesController,
  RecoveryController,
  ConnectionController,
  ClientTemplatesController,
  MessagesController,
  UsageController,
  ConversationsController,
  ClientMediaController,
  LabelsController,
  NewMessageController,
  QuickRepliesController,
  SuppressionsController,
  PeopleController,
  SettingsController,
  TeamController,
  AuditLogController,
  RequestLogController,
  EventStreamController,
  BroadcastsController,
  AutoReplyController,
];

/** `/api/admin`, with an operator's session (spec §11). */
const OPERATOR_API = [
  BusinessesController,
  OperatorUsersController,
  OperatorApiKeysController,
  LimitsController,
  RateCardController,
  OverviewController,
  DeadLettersController,
  FailingWebhooksController,
  OperatorAuditLogController,
];

/** SQL of the schema `access`, which no other service reads or writes. */
const STORES = [
  ApiKeysStore,
  AuditStore,
  BusinessesStore,
  ErasuresStore,
  LimitsStore,
  LoginAttemptsStore,
  LogPeriodStore,
  MetricSamplesStore,
  PasswordLinksStore,
  SessionsStore,
  TotpStore,
  UsersStore,
];

const SEALED = [
  { table: 'access.totp', key: 'user_id', column: 'secret_sealed', context: `'totp.secret:' || user_id` },
  { table: 'access.erasures', key: 'id', column: 'person_sealed', context: `'erasure.person:' || id` },
];

/** The public port: three APIs over HTTP, and who may use them how much. */
@Module({
  imports: [PassportModule],
  controllers: [...REST_API, ...DASHBOARD_API, ...OPERATOR_API, AccessHandlers],
  providers: [
    ...STORES,
    AgentSends,
    ApiKeyStrategy,
    KeyCache,
    WrongKeys,
    SessionStrategy,
    LoginService,
    SecondStep,
    OidcService,
    TotpService,
    MeService,
    AccountService,
    AuditLogService,
    RateLimitService,
    RateLimitStore,
    RequestLog,
    RequestLogStore,
    GlobalLimit,
    Draining,
    Downloads,
    ApiKeysService,
    DailyUsage,
    BusinessesService,
    BusinessDetails,
    ServicesHealth,
    MetricSampler,
    UsersService,
    Mailer,
    PasswordLinks,
    ConnectionService,
    TemplateUse,
    EventFeedService,
    ErasureService,
    EventStreamService,
    RecoveryService,
    SendingService,
    fileStore,
    FileKeeper,
    PlatformFiles,
    MediaService,
    UploadService,
    Transfers,
    {
      provide: GraphClient,
      inject: [GatewayConfig],
      useFactory: ({ graphBaseUrl: baseUrl, graphVersion: version }: GatewayConfig) => new GraphClient({ baseUrl, version }),
    },
    {
      provide: MediaDownloads,
      inject: [GatewayConfig],
      useFactory: ({ graphBaseUrl, mediaHosts }: GatewayConfig) => new MediaDownloads(graphBaseUrl, mediaHosts),
    },
    SendEndpoints,
    BroadcastsService,
    MessageLog,
    MessageCountsService,
    SentMessages,
    SuppressionsService,
    WebhooksService,
    storedSecrets('gateway', SEALED),
    sealerOf(GatewayConfig),
  ],
})
export class GatewayModule {}
