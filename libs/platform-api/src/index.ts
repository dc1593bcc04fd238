export { GraphClient, type PhoneNumberTarget, type BusinessAccountTarget } from './graph-client';
export {
  asReply,
  contactsMessage,
  interactiveMessage,
  locationMessage,
  mediaMessage,
  reactionMessage,
  textMessage,
  templateMessage,
  type MediaContent,
  type MessageRequest,
  type TemplateComponentRequest,
  type TemplateParameter,
} from './message-request';
export type { SubscribedApp, TokenNode, WebhookConfiguration } from './connection-nodes';
export type { MediaNode } from './media';
export type { MediaUpload } from './media-form';
export type { SendOutcome, ReadOutcome } from './outcome';
export { refusalExtras, refusedByPlatform, type Refusal, type SideEffect } from './refusal';
export { anyRecipientFails } from './error-table';
export { failureHelp, failureReason } from './failure-reason';
export type { PhoneNumberNode } from './phone-number';
export type { GraphTemplate, GraphTemplateComponent } from './template';
export type {
  PlatformCallback,
  CallbackChange,
  CallbackContact,
  CallbackEntry,
  CallbackMessage,
  CallbackStatus,
  CallbackValue,
} from './callback';
export { graphSettings } from './settings';
