import { Controller } from '@nestjs/common';
import {
  AddNote,
  CreateLabel,
  CreateQuickReply,
  DeleteLabel,
  DeleteQuickReply,
  ListLabels,
  ListQuickReplies,
  UpdateConversation,
  UpdateLabel,
  UpdateQuickReply,
  CancelBroadcast,
  CancelRecovery,
  CheckConnection,
  CheckBroadcast,
  CheckRetry,
  CheckSend,
  ClaimFiles,
  CountMessages,
  CountTemplates,
  ChangeTemplate,
  CreateBroadcast,
  CreateTemplate,
  DeleteTemplate,
  CreateWebhook,
  DeleteWebhook,
  EndFileTask,
  EstimateCost,
  FindConversation,
  FindDeliveries,
  FindMedia,
  FindNewestEvents,
  FindSends,
  FindUnanswered,
  GetBroadcast,
  GetCallbackTimes,
  GetConnection,
  GetCosts,
  GetDailyUsage,
  GetDelivery,
  GetMessageStatuses,
  GetRateCard,
  GetRecovery,
  GetSendSettings,
  GetSuppression,
  GetThread,
  GetTimeline,
  GetUsage,
  ImportSuppressions,
  LiftSuppression,
  ListApprovedTemplates,
  ListAutoReplies,
  GetAutoReply,
  ListBroadcasts,
  ListConversations,
  ListDeliveries,
  ListEvents,
  ListInboundMessages,
  ListMessages,
  ListRecipients,
  ListSuppressions,
  ListTemplates,
  ListWebhooks,
  MarkConversationRead,
  MarkRead,
  PauseBroadcast,
  PrepareErasure,
  RecordUpload,
  RecoverDeliveries,
  SuspendBusiness,
  replayDeadLetter,
  discardDeadLetter,
  Redeliver,
  ResumeBroadcast,
  RetryBroadcast,
  SendContacts,
  SendInteractive,
  SendLocation,
  SendMedia,
  SendOtp,
  SendReaction,
  SendTemplate,
  SendText,
  SetAutoReply,
  SetConnection,
  SetRateCard,
  SetSendSettings,
  SetSuppression,
  SubscribeToAccount,
  SyncTemplates,
  TestWebhook,
  TryAutoReply,
  UnassignConversations,
  UpdateWebhook,
  type Operation,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { Handles } from '@mgw/rpc';

type Responder<O extends Operation> = (request: RequestOf<O>) => ResponseOf<O> | Promise<ResponseOf<O>>;

/** Operations of the operator on one service. */
export const REPLAY = replayDeadLetter('status');
export const DISCARD = discardDeadLetter('status');

/** The daily limit that the replaced check of a broadcast returns. */
export const DAILY_LIMIT = { limit: 1_000, used: 0, left: 1_000, resets_at: '2026-01-05T18:30:00.000Z' };

/** Replaces the services behind the gateway. It responds over the real broker with what a test sets. */
@Controller()
export class Neighbours {
  private readonly responders = new Map<string, Responder<Operation>>();
  private readonly waiting: (() => void)[] = [];

  constructor() {
    this.reset();
  }

  respond<O extends Operation>(op: O, responder: Responder<O>): void {
    this.responders.set(op.subject, responder as unknown as Responder<Operation>);
  }

  /** Resets to a business without any data. */
  reset(): void {
    this.responders.clear();
    this.respond(GetConnection, () => ({ connection: null }));
    this.respond(GetDailyUsage, () => ({ used: [] }));
    this.respond(ListWebhooks, () => ({ webhooks: [] }));
    this.respond(GetCosts, () => ({ currency: null, costs: [] }));
    this.respond(EstimateCost, ({ markets }) => ({
      currency: null,
      cost: '0',
      markets: markets.map((one) => ({ ...one, price: null, cost: null })),
    }));
    this.respond(CountTemplates, () => ({ templates: [] }));
  }

  /** For a service that does not respond. It ends with `release`, because a closing service waits for its requests. */
  noResponse(): Promise<never> {
    return new Promise((_, reject) => this.waiting.push(() => reject(new Error('the test has ended'))));
  }

  release(): void {
    for (const end of this.waiting.splice(0)) end();
  }

  @Handles(GetCosts)
  getCosts(request: RequestOf<typeof GetCosts>) {
    return this.responseTo(GetCosts, request);
  }

  @Handles(EstimateCost)
  estimateCost(request: RequestOf<typeof EstimateCost>) {
    return this.responseTo(EstimateCost, request);
  }

  @Handles(GetRateCard)
  getRateCard(request: RequestOf<typeof GetRateCard>) {
    return this.responseTo(GetRateCard, request);
  }

  @Handles(SetRateCard)
  setRateCard(request: RequestOf<typeof SetRateCard>) {
    return this.responseTo(SetRateCard, request);
  }

  @Handles(FindMedia)
  findMedia(request: RequestOf<typeof FindMedia>) {
    return this.responseTo(FindMedia, request);
  }

  @Handles(ClaimFiles)
  claimFiles(request: RequestOf<typeof ClaimFiles>) {
    return this.responseTo(ClaimFiles, request);
  }

  @Handles(EndFileTask)
  endFileTask(request: RequestOf<typeof EndFileTask>) {
    return this.responseTo(EndFileTask, request);
  }

  @Handles(RecordUpload)
  recordUpload(request: RequestOf<typeof RecordUpload>) {
    return this.responseTo(RecordUpload, request);
  }

  @Handles(GetConnection)
  getConnection(request: RequestOf<typeof GetConnection>) {
    return this.responseTo(GetConnection, request);
  }

  @Handles(SetConnection)
  setConnection(request: RequestOf<typeof SetConnection>) {
    return this.responseTo(SetConnection, request);
  }

  @Handles(CountTemplates)
  countTemplates(request: RequestOf<typeof CountTemplates>) {
    return this.responseTo(CountTemplates, request);
  }

  @Handles(CheckConnection)
  checkConnection(request: RequestOf<typeof CheckConnection>) {
    return this.responseTo(CheckConnection, request);
  }

  @Handles(SubscribeToAccount)
  subscribeToAccount(request: RequestOf<typeof SubscribeToAccount>) {
    return this.responseTo(SubscribeToAccount, request);
  }

  @Handles(GetCallbackTimes)
  getCallbackTimes(request: RequestOf<typeof GetCallbackTimes>) {
    return this.responseTo(GetCallbackTimes, request);
  }

  @Handles(ListTemplates)
  listTemplates(request: RequestOf<typeof ListTemplates>) {
    return this.responseTo(ListTemplates, request);
  }

  @Handles(CreateTemplate)
  createTemplate(request: RequestOf<typeof CreateTemplate>) {
    return this.responseTo(CreateTemplate, request);
  }

  @Handles(ChangeTemplate)
  changeTemplate(request: RequestOf<typeof ChangeTemplate>) {
    return this.responseTo(ChangeTemplate, request);
  }

  @Handles(DeleteTemplate)
  deleteTemplate(request: RequestOf<typeof DeleteTemplate>) {
    return this.responseTo(DeleteTemplate, request);
  }

  @Handles(SyncTemplates)
  syncTemplates(request: RequestOf<typeof SyncTemplates>) {
    return this.responseTo(SyncTemplates, request);
  }

  @Handles(GetDailyUsage)
  getDailyUsage(request: RequestOf<typeof GetDailyUsage>) {
    return this.responseTo(GetDailyUsage, request);
  }

  @Handles(ListWebhooks)
  listWebhooks(request: RequestOf<typeof ListWebhooks>) {
    return this.responseTo(ListWebhooks, request);
  }

  @Handles(ListDeliveries)
  listDeliveries(request: RequestOf<typeof ListDeliveries>) {
    return this.responseTo(ListDeliveries, request);
  }

  @Handles(GetDelivery)
  getDelivery(request: RequestOf<typeof GetDelivery>) {
    return this.responseTo(GetDelivery, request);
  }

  @Handles(CreateWebhook)
  createWebhook(request: RequestOf<typeof CreateWebhook>) {
    return this.responseTo(CreateWebhook, request);
  }

  @Handles(UpdateWebhook)
  updateWebhook(request: RequestOf<typeof UpdateWebhook>) {
    return this.responseTo(UpdateWebhook, request);
  }

  @Handles(DeleteWebhook)
  deleteWebhook(request: RequestOf<typeof DeleteWebhook>) {
    return this.responseTo(DeleteWebhook, request);
  }

  @Handles(ListEvents)
  listEvents(request: RequestOf<typeof ListEvents>) {
    return this.responseTo(ListEvents, request);
  }

  @Handles(RecoverDeliveries)
  recoverDeliveries(request: RequestOf<typeof RecoverDeliveries>) {
    return this.responseTo(RecoverDeliveries, request);
  }

  @Handles(GetRecovery)
  getRecovery(request: RequestOf<typeof GetRecovery>) {
    return this.responseTo(GetRecovery, request);
  }

  @Handles(CancelRecovery)
  cancelRecovery(request: RequestOf<typeof CancelRecovery>) {
    return this.responseTo(CancelRecovery, request);
  }

  @Handles(FindNewestEvents)
  findNewestEvents(request: RequestOf<typeof FindNewestEvents>) {
    return this.responseTo(FindNewestEvents, request);
  }

  @Handles(SendTemplate)
  sendTemplate(request: RequestOf<typeof SendTemplate>) {
    return this.responseTo(SendTemplate, request);
  }

  @Handles(SendText)
  sendText(request: RequestOf<typeof SendText>) {
    return this.responseTo(SendText, request);
  }

  @Handles(FindSends)
  findSends(request: RequestOf<typeof FindSends>) {
    return this.responseTo(FindSends, request);
  }

  @Handles(FindConversation)
  findConversation(request: RequestOf<typeof FindConversation>) {
    return this.responseTo(FindConversation, request);
  }

  @Handles(GetBroadcast)
  getBroadcast(request: RequestOf<typeof GetBroadcast>) {
    return this.responseTo(GetBroadcast, request);
  }

  @Handles(GetSuppression)
  getSuppression(request: RequestOf<typeof GetSuppression>) {
    return this.responseTo(GetSuppression, request);
  }

  @Handles(ImportSuppressions)
  importSuppressions(request: RequestOf<typeof ImportSuppressions>) {
    return this.responseTo(ImportSuppressions, request);
  }

  @Handles(ListInboundMessages)
  listInboundMessages(request: RequestOf<typeof ListInboundMessages>) {
    return this.responseTo(ListInboundMessages, request);
  }

  @Handles(ListRecipients)
  listRecipients(request: RequestOf<typeof ListRecipients>) {
    return this.responseTo(ListRecipients, request);
  }

  @Handles(ListSuppressions)
  listSuppressions(request: RequestOf<typeof ListSuppressions>) {
    return this.responseTo(ListSuppressions, request);
  }

  @Handles(ListApprovedTemplates)
  listApprovedTemplates(request: RequestOf<typeof ListApprovedTemplates>) {
    return this.responseTo(ListApprovedTemplates, request);
  }

  @Handles(SendMedia)
  sendMedia(request: RequestOf<typeof SendMedia>) {
    return this.responseTo(SendMedia, request);
  }

  @Handles(CheckSend)
  checkSend(request: RequestOf<typeof CheckSend>) {
    return this.responseTo(CheckSend, request);
  }

  @Handles(MarkRead)
  markRead(request: RequestOf<typeof MarkRead>) {
    return this.responseTo(MarkRead, request);
  }

  @Handles(MarkConversationRead)
  markConversationRead(request: RequestOf<typeof MarkConversationRead>) {
    return this.responseTo(MarkConversationRead, request);
  }

  @Handles(SendContacts)
  sendContacts(request: RequestOf<typeof SendContacts>) {
    return this.responseTo(SendContacts, request);
  }

  @Handles(SendInteractive)
  sendInteractive(request: RequestOf<typeof SendInteractive>) {
    return this.responseTo(SendInteractive, request);
  }

  @Handles(SendLocation)
  sendLocation(request: RequestOf<typeof SendLocation>) {
    return this.responseTo(SendLocation, request);
  }

  @Handles(SendReaction)
  sendReaction(request: RequestOf<typeof SendReaction>) {
    return this.responseTo(SendReaction, request);
  }

  @Handles(SendOtp)
  sendOtp(request: RequestOf<typeof SendOtp>) {
    return this.responseTo(SendOtp, request);
  }

  @Handles(CheckBroadcast)
  checkBroadcast(request: RequestOf<typeof CheckBroadcast>) {
    return this.responseTo(CheckBroadcast, request);
  }

  @Handles(GetSendSettings)
  getSendSettings(request: RequestOf<typeof GetSendSettings>) {
    return this.responseTo(GetSendSettings, request);
  }

  @Handles(SetSendSettings)
  setSendSettings(request: RequestOf<typeof SetSendSettings>) {
    return this.responseTo(SetSendSettings, request);
  }

  @Handles(SetSuppression)
  setSuppression(request: RequestOf<typeof SetSuppression>) {
    return this.responseTo(SetSuppression, request);
  }

  @Handles(SuspendBusiness)
  suspendBusiness(request: RequestOf<typeof SuspendBusiness>) {
    return this.responseTo(SuspendBusiness, request);
  }

  @Handles(REPLAY)
  replayDeadLetter(request: RequestOf<typeof REPLAY>) {
    return this.responseTo(REPLAY, request);
  }

  @Handles(DISCARD)
  discardDeadLetter(request: RequestOf<typeof DISCARD>) {
    return this.responseTo(DISCARD, request);
  }

  @Handles(PrepareErasure)
  prepareErasure(request: RequestOf<typeof PrepareErasure>) {
    return this.responseTo(PrepareErasure, request);
  }

  @Handles(CreateBroadcast)
  createBroadcast(request: RequestOf<typeof CreateBroadcast>) {
    return this.responseTo(CreateBroadcast, request);
  }

  @Handles(FindDeliveries)
  findDeliveries(request: RequestOf<typeof FindDeliveries>) {
    return this.responseTo(FindDeliveries, request);
  }

  @Handles(GetMessageStatuses)
  getMessageStatuses(request: RequestOf<typeof GetMessageStatuses>) {
    return this.responseTo(GetMessageStatuses, request);
  }

  @Handles(GetThread)
  getThread(request: RequestOf<typeof GetThread>) {
    return this.responseTo(GetThread, request);
  }

  @Handles(GetTimeline)
  getTimeline(request: RequestOf<typeof GetTimeline>) {
    return this.responseTo(GetTimeline, request);
  }

  @Handles(TestWebhook)
  testWebhook(request: RequestOf<typeof TestWebhook>) {
    return this.responseTo(TestWebhook, request);
  }

  @Handles(CountMessages)
  countMessages(request: RequestOf<typeof CountMessages>) {
    return this.responseTo(CountMessages, request);
  }

  @Handles(GetUsage)
  getUsage(request: RequestOf<typeof GetUsage>) {
    return this.responseTo(GetUsage, request);
  }

  @Handles(GetAutoReply)
  getAutoReply(request: RequestOf<typeof GetAutoReply>) {
    return this.responseTo(GetAutoReply, request);
  }

  @Handles(ListAutoReplies)
  listAutoReplies(request: RequestOf<typeof ListAutoReplies>) {
    return this.responseTo(ListAutoReplies, request);
  }

  @Handles(ListBroadcasts)
  listBroadcasts(request: RequestOf<typeof ListBroadcasts>) {
    return this.responseTo(ListBroadcasts, request);
  }

  @Handles(ListConversations)
  listConversations(request: RequestOf<typeof ListConversations>) {
    return this.responseTo(ListConversations, request);
  }

  @Handles(FindUnanswered)
  findUnanswered(request: RequestOf<typeof FindUnanswered>) {
    return this.responseTo(FindUnanswered, request);
  }

  @Handles(ListMessages)
  listMessages(request: RequestOf<typeof ListMessages>) {
    return this.responseTo(ListMessages, request);
  }

  @Handles(CancelBroadcast)
  cancelBroadcast(request: RequestOf<typeof CancelBroadcast>) {
    return this.responseTo(CancelBroadcast, request);
  }

  @Handles(PauseBroadcast)
  pauseBroadcast(request: RequestOf<typeof PauseBroadcast>) {
    return this.responseTo(PauseBroadcast, request);
  }

  @Handles(CheckRetry)
  checkRetry(request: RequestOf<typeof CheckRetry>) {
    return this.responseTo(CheckRetry, request);
  }

  @Handles(RetryBroadcast)
  retryBroadcast(request: RequestOf<typeof RetryBroadcast>) {
    return this.responseTo(RetryBroadcast, request);
  }

  @Handles(ResumeBroadcast)
  resumeBroadcast(request: RequestOf<typeof ResumeBroadcast>) {
    return this.responseTo(ResumeBroadcast, request);
  }

  @Handles(LiftSuppression)
  liftSuppression(request: RequestOf<typeof LiftSuppression>) {
    return this.responseTo(LiftSuppression, request);
  }

  @Handles(Redeliver)
  redeliver(request: RequestOf<typeof Redeliver>) {
    return this.responseTo(Redeliver, request);
  }

  @Handles(SetAutoReply)
  setAutoReply(request: RequestOf<typeof SetAutoReply>) {
    return this.responseTo(SetAutoReply, request);
  }

  @Handles(TryAutoReply)
  tryAutoReply(request: RequestOf<typeof TryAutoReply>) {
    return this.responseTo(TryAutoReply, request);
  }

  @Handles(UpdateConversation)
  updateConversation(request: RequestOf<typeof UpdateConversation>) {
    return this.responseTo(UpdateConversation, request);
  }

  @Handles(AddNote)
  addNote(request: RequestOf<typeof AddNote>) {
    return this.responseTo(AddNote, request);
  }

  @Handles(CreateLabel)
  createLabel(request: RequestOf<typeof CreateLabel>) {
    return this.responseTo(CreateLabel, request);
  }

  @Handles(CreateQuickReply)
  createQuickReply(request: RequestOf<typeof CreateQuickReply>) {
    return this.responseTo(CreateQuickReply, request);
  }

  @Handles(DeleteLabel)
  deleteLabel(request: RequestOf<typeof DeleteLabel>) {
    return this.responseTo(DeleteLabel, request);
  }

  @Handles(DeleteQuickReply)
  deleteQuickReply(request: RequestOf<typeof DeleteQuickReply>) {
    return this.responseTo(DeleteQuickReply, request);
  }

  @Handles(ListLabels)
  listLabels(request: RequestOf<typeof ListLabels>) {
    return this.responseTo(ListLabels, request);
  }

  @Handles(ListQuickReplies)
  listQuickReplies(request: RequestOf<typeof ListQuickReplies>) {
    return this.responseTo(ListQuickReplies, request);
  }

  @Handles(UpdateLabel)
  updateLabel(request: RequestOf<typeof UpdateLabel>) {
    return this.responseTo(UpdateLabel, request);
  }

  @Handles(UpdateQuickReply)
  updateQuickReply(request: RequestOf<typeof UpdateQuickReply>) {
    return this.responseTo(UpdateQuickReply, request);
  }

  @Handles(UnassignConversations)
  unassignConversations(request: RequestOf<typeof UnassignConversations>) {
    return this.responseTo(UnassignConversations, request);
  }

  private async responseTo<O extends Operation>(op: O, request: RequestOf<O>): Promise<ResponseOf<O>> {
    const responder = this.responders.get(op.subject);
    if (!responder) throw new Error(`no test sets a response for ${op.subject}`);
    return responder(request) as Promise<ResponseOf<O>>;
  }
}
