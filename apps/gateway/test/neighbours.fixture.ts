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
  type ReplyOf,
  type RequestOf,
} from '@mgw/contracts';
import { Handles } from '@mgw/rpc';

type Responder<O extends Operation> = (request: RequestOf<O>) => ReplyOf<O> | Promise<ReplyOf<O>>;

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
    return this.reply(GetCosts, request);
  }

  @Handles(EstimateCost)
  estimateCost(request: RequestOf<typeof EstimateCost>) {
    return this.reply(EstimateCost, request);
  }

  @Handles(GetRateCard)
  getRateCard(request: RequestOf<typeof GetRateCard>) {
    return this.reply(GetRateCard, request);
  }

  @Handles(SetRateCard)
  setRateCard(request: RequestOf<typeof SetRateCard>) {
    return this.reply(SetRateCard, request);
  }

  @Handles(FindMedia)
  findMedia(request: RequestOf<typeof FindMedia>) {
    return this.reply(FindMedia, request);
  }

  @Handles(ClaimFiles)
  claimFiles(request: RequestOf<typeof ClaimFiles>) {
    return this.reply(ClaimFiles, request);
  }

  @Handles(EndFileTask)
  endFileTask(request: RequestOf<typeof EndFileTask>) {
    return this.reply(EndFileTask, request);
  }

  @Handles(RecordUpload)
  recordUpload(request: RequestOf<typeof RecordUpload>) {
    return this.reply(RecordUpload, request);
  }

  @Handles(GetConnection)
  getConnection(request: RequestOf<typeof GetConnection>) {
    return this.reply(GetConnection, request);
  }

  @Handles(SetConnection)
  setConnection(request: RequestOf<typeof SetConnection>) {
    return this.reply(SetConnection, request);
  }

  @Handles(CountTemplates)
  countTemplates(request: RequestOf<typeof CountTemplates>) {
    return this.reply(CountTemplates, request);
  }

  @Handles(CheckConnection)
  checkConnection(request: RequestOf<typeof CheckConnection>) {
    return this.reply(CheckConnection, request);
  }

  @Handles(SubscribeToAccount)
  subscribeToAccount(request: RequestOf<typeof SubscribeToAccount>) {
    return this.reply(SubscribeToAccount, request);
  }

  @Handles(GetCallbackTimes)
  getCallbackTimes(request: RequestOf<typeof GetCallbackTimes>) {
    return this.reply(GetCallbackTimes, request);
  }

  @Handles(ListTemplates)
  listTemplates(request: RequestOf<typeof ListTemplates>) {
    return this.reply(ListTemplates, request);
  }

  @Handles(CreateTemplate)
  createTemplate(request: RequestOf<typeof CreateTemplate>) {
    return this.reply(CreateTemplate, request);
  }

  @Handles(ChangeTemplate)
  changeTemplate(request: RequestOf<typeof ChangeTemplate>) {
    return this.reply(ChangeTemplate, request);
  }

  @Handles(DeleteTemplate)
  deleteTemplate(request: RequestOf<typeof DeleteTemplate>) {
    return this.reply(DeleteTemplate, request);
  }

  @Handles(SyncTemplates)
  syncTemplates(request: RequestOf<typeof SyncTemplates>) {
    return this.reply(SyncTemplates, request);
  }

  @Handles(GetDailyUsage)
  getDailyUsage(request: RequestOf<typeof GetDailyUsage>) {
    return this.reply(GetDailyUsage, request);
  }

  @Handles(ListWebhooks)
  listWebhooks(request: RequestOf<typeof ListWebhooks>) {
    return this.reply(ListWebhooks, request);
  }

  @Handles(ListDeliveries)
  listDeliveries(request: RequestOf<typeof ListDeliveries>) {
    return this.reply(ListDeliveries, request);
  }

  @Handles(GetDelivery)
  getDelivery(request: RequestOf<typeof GetDelivery>) {
    return this.reply(GetDelivery, request);
  }

  @Handles(CreateWebhook)
  createWebhook(request: RequestOf<typeof CreateWebhook>) {
    return this.reply(CreateWebhook, request);
  }

  @Handles(UpdateWebhook)
  updateWebhook(request: RequestOf<typeof UpdateWebhook>) {
    return this.reply(UpdateWebhook, request);
  }

  @Handles(DeleteWebhook)
  deleteWebhook(request: RequestOf<typeof DeleteWebhook>) {
    return this.reply(DeleteWebhook, request);
  }

  @Handles(ListEvents)
  listEvents(request: RequestOf<typeof ListEvents>) {
    return this.reply(ListEvents, request);
  }

  @Handles(RecoverDeliveries)
  recoverDeliveries(request: RequestOf<typeof RecoverDeliveries>) {
    return this.reply(RecoverDeliveries, request);
  }

  @Handles(GetRecovery)
  getRecovery(request: RequestOf<typeof GetRecovery>) {
    return this.reply(GetRecovery, request);
  }

  @Handles(CancelRecovery)
  cancelRecovery(request: RequestOf<typeof CancelRecovery>) {
    return this.reply(CancelRecovery, request);
  }

  @Handles(FindNewestEvents)
  findNewestEvents(request: RequestOf<typeof FindNewestEvents>) {
    return this.reply(FindNewestEvents, request);
  }

  @Handles(SendTemplate)
  sendTemplate(request: RequestOf<typeof SendTemplate>) {
    return this.reply(SendTemplate, request);
  }

  @Handles(SendText)
  sendText(request: RequestOf<typeof SendText>) {
    return this.reply(SendText, request);
  }

  @Handles(FindSends)
  findSends(request: RequestOf<typeof FindSends>) {
    return this.reply(FindSends, request);
  }

  @Handles(FindConversation)
  findConversation(request: RequestOf<typeof FindConversation>) {
    return this.reply(FindConversation, request);
  }

  @Handles(GetBroadcast)
  getBroadcast(request: RequestOf<typeof GetBroadcast>) {
    return this.reply(GetBroadcast, request);
  }

  @Handles(GetSuppression)
  getSuppression(request: RequestOf<typeof GetSuppression>) {
    return this.reply(GetSuppression, request);
  }

  @Handles(ImportSuppressions)
  importSuppressions(request: RequestOf<typeof ImportSuppressions>) {
    return this.reply(ImportSuppressions, request);
  }

  @Handles(ListInboundMessages)
  listInboundMessages(request: RequestOf<typeof ListInboundMessages>) {
    return this.reply(ListInboundMessages, request);
  }

  @Handles(ListRecipients)
  listRecipients(request: RequestOf<typeof ListRecipients>) {
    return this.reply(ListRecipients, request);
  }

  @Handles(ListSuppressions)
  listSuppressions(request: RequestOf<typeof ListSuppressions>) {
    return this.reply(ListSuppressions, request);
  }

  @Handles(ListApprovedTemplates)
  listApprovedTemplates(request: RequestOf<typeof ListApprovedTemplates>) {
    return this.reply(ListApprovedTemplates, request);
  }

  @Handles(SendMedia)
  sendMedia(request: RequestOf<typeof SendMedia>) {
    return this.reply(SendMedia, request);
  }

  @Handles(CheckSend)
  checkSend(request: RequestOf<typeof CheckSend>) {
    return this.reply(CheckSend, request);
  }

  @Handles(MarkRead)
  markRead(request: RequestOf<typeof MarkRead>) {
    return this.reply(MarkRead, request);
  }

  @Handles(MarkConversationRead)
  markConversationRead(request: RequestOf<typeof MarkConversationRead>) {
    return this.reply(MarkConversationRead, request);
  }

  @Handles(SendContacts)
  sendContacts(request: RequestOf<typeof SendContacts>) {
    return this.reply(SendContacts, request);
  }

  @Handles(SendInteractive)
  sendInteractive(request: RequestOf<typeof SendInteractive>) {
    return this.reply(SendInteractive, request);
  }

  @Handles(SendLocation)
  sendLocation(request: RequestOf<typeof SendLocation>) {
    return this.reply(SendLocation, request);
  }

  @Handles(SendReaction)
  sendReaction(request: RequestOf<typeof SendReaction>) {
    return this.reply(SendReaction, request);
  }

  @Handles(SendOtp)
  sendOtp(request: RequestOf<typeof SendOtp>) {
    return this.reply(SendOtp, request);
  }

  @Handles(CheckBroadcast)
  checkBroadcast(request: RequestOf<typeof CheckBroadcast>) {
    return this.reply(CheckBroadcast, request);
  }

  @Handles(GetSendSettings)
  getSendSettings(request: RequestOf<typeof GetSendSettings>) {
    return this.reply(GetSendSettings, request);
  }

  @Handles(SetSendSettings)
  setSendSettings(request: RequestOf<typeof SetSendSettings>) {
    return this.reply(SetSendSettings, request);
  }

  @Handles(SetSuppression)
  setSuppression(request: RequestOf<typeof SetSuppression>) {
    return this.reply(SetSuppression, request);
  }

  @Handles(SuspendBusiness)
  suspendBusiness(request: RequestOf<typeof SuspendBusiness>) {
    return this.reply(SuspendBusiness, request);
  }

  @Handles(REPLAY)
  replayDeadLetter(request: RequestOf<typeof REPLAY>) {
    return this.reply(REPLAY, request);
  }

  @Handles(DISCARD)
  discardDeadLetter(request: RequestOf<typeof DISCARD>) {
    return this.reply(DISCARD, request);
  }

  @Handles(PrepareErasure)
  prepareErasure(request: RequestOf<typeof PrepareErasure>) {
    return this.reply(PrepareErasure, request);
  }

  @Handles(CreateBroadcast)
  createBroadcast(request: RequestOf<typeof CreateBroadcast>) {
    return this.reply(CreateBroadcast, request);
  }

  @Handles(FindDeliveries)
  findDeliveries(request: RequestOf<typeof FindDeliveries>) {
    return this.reply(FindDeliveries, request);
  }

  @Handles(GetMessageStatuses)
  getMessageStatuses(request: RequestOf<typeof GetMessageStatuses>) {
    return this.reply(GetMessageStatuses, request);
  }

  @Handles(GetThread)
  getThread(request: RequestOf<typeof GetThread>) {
    return this.reply(GetThread, request);
  }

  @Handles(GetTimeline)
  getTimeline(request: RequestOf<typeof GetTimeline>) {
    return this.reply(GetTimeline, request);
  }

  @Handles(TestWebhook)
  testWebhook(request: RequestOf<typeof TestWebhook>) {
    return this.reply(TestWebhook, request);
  }

  @Handles(CountMessages)
  countMessages(request: RequestOf<typeof CountMessages>) {
    return this.reply(CountMessages, request);
  }

  @Handles(GetUsage)
  getUsage(request: RequestOf<typeof GetUsage>) {
    return this.reply(GetUsage, request);
  }

  @Handles(ListAutoReplies)
  listAutoReplies(request: RequestOf<typeof ListAutoReplies>) {
    return this.reply(ListAutoReplies, request);
  }

  @Handles(ListBroadcasts)
  listBroadcasts(request: RequestOf<typeof ListBroadcasts>) {
    return this.reply(ListBroadcasts, request);
  }

  @Handles(ListConversations)
  listConversations(request: RequestOf<typeof ListConversations>) {
    return this.reply(ListConversations, request);
  }

  @Handles(FindUnanswered)
  findUnanswered(request: RequestOf<typeof FindUnanswered>) {
    return this.reply(FindUnanswered, request);
  }

  @Handles(ListMessages)
  listMessages(request: RequestOf<typeof ListMessages>) {
    return this.reply(ListMessages, request);
  }

  @Handles(CancelBroadcast)
  cancelBroadcast(request: RequestOf<typeof CancelBroadcast>) {
    return this.reply(CancelBroadcast, request);
  }

  @Handles(PauseBroadcast)
  pauseBroadcast(request: RequestOf<typeof PauseBroadcast>) {
    return this.reply(PauseBroadcast, request);
  }

  @Handles(CheckRetry)
  checkRetry(request: RequestOf<typeof CheckRetry>) {
    return this.reply(CheckRetry, request);
  }

  @Handles(RetryBroadcast)
  retryBroadcast(request: RequestOf<typeof RetryBroadcast>) {
    return this.reply(RetryBroadcast, request);
  }

  @Handles(ResumeBroadcast)
  resumeBroadcast(request: RequestOf<typeof ResumeBroadcast>) {
    return this.reply(ResumeBroadcast, request);
  }

  @Handles(LiftSuppression)
  liftSuppression(request: RequestOf<typeof LiftSuppression>) {
    return this.reply(LiftSuppression, request);
  }

  @Handles(Redeliver)
  redeliver(request: RequestOf<typeof Redeliver>) {
    return this.reply(Redeliver, request);
  }

  @Handles(SetAutoReply)
  setAutoReply(request: RequestOf<typeof SetAutoReply>) {
    return this.reply(SetAutoReply, request);
  }

  @Handles(TryAutoReply)
  tryAutoReply(request: RequestOf<typeof TryAutoReply>) {
    return this.reply(TryAutoReply, request);
  }

  @Handles(UpdateConversation)
  updateConversation(request: RequestOf<typeof UpdateConversation>) {
    return this.reply(UpdateConversation, request);
  }

  @Handles(AddNote)
  addNote(request: RequestOf<typeof AddNote>) {
    return this.reply(AddNote, request);
  }

  @Handles(CreateLabel)
  createLabel(request: RequestOf<typeof CreateLabel>) {
    return this.reply(CreateLabel, request);
  }

  @Handles(CreateQuickReply)
  createQuickReply(request: RequestOf<typeof CreateQuickReply>) {
    return this.reply(CreateQuickReply, request);
  }

  @Handles(DeleteLabel)
  deleteLabel(request: RequestOf<typeof DeleteLabel>) {
    return this.reply(DeleteLabel, request);
  }

  @Handles(DeleteQuickReply)
  deleteQuickReply(request: RequestOf<typeof DeleteQuickReply>) {
    return this.reply(DeleteQuickReply, request);
  }

  @Handles(ListLabels)
  listLabels(request: RequestOf<typeof ListLabels>) {
    return this.reply(ListLabels, request);
  }

  @Handles(ListQuickReplies)
  listQuickReplies(request: RequestOf<typeof ListQuickReplies>) {
    return this.reply(ListQuickReplies, request);
  }

  @Handles(UpdateLabel)
  updateLabel(request: RequestOf<typeof UpdateLabel>) {
    return this.reply(UpdateLabel, request);
  }

  @Handles(UpdateQuickReply)
  updateQuickReply(request: RequestOf<typeof UpdateQuickReply>) {
    return this.reply(UpdateQuickReply, request);
  }

  @Handles(UnassignConversations)
  unassignConversations(request: RequestOf<typeof UnassignConversations>) {
    return this.reply(UnassignConversations, request);
  }

  private async reply<O extends Operation>(op: O, request: RequestOf<O>): Promise<ReplyOf<O>> {
    const responder = this.responders.get(op.subject);
    if (!responder) throw new Error(`no test sets a response for ${op.subject}`);
    return responder(request) as Promise<ReplyOf<O>>;
  }
}
