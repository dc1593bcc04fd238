import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import {
  ContactCards,
  InteractiveContent,
  LocationContent,
  SendContacts,
  SendInteractive,
  SendLocation,
  SendMedia,
  SendOtp,
  SendReaction,
  SendTemplate,
  SendText,
} from '@mgw/contracts';
import { CurrentCaller, Needs, RestApi, type Caller } from '../access/rest-api';
import { DEFAULT_LANGUAGE } from '../requests/field-rules';
import { shaped } from '../requests/shape-fault';
import { Responds } from '../responses/responds';
import { SendResult } from '../sending/sending.responses';
import { SendingService } from '../sending/sending.service';
import { InteractiveSendResult, MediaSendResult, OtpSendResult, TemplateSendResult } from './api-v1.responses';
import {
  recipientOf,
  SendContactsRequest,
  SendInteractiveRequest,
  SendLocationRequest,
  SendMediaRequest,
  SendOtpRequest,
  SendReactionRequest,
  SendTemplateRequest,
  SendTextRequest,
} from './send.requests';

/** Send endpoints respond 200 (decision 36). */
@Controller('api/v1')
@RestApi()
export class SendController {
  constructor(private readonly sending: SendingService) {}

  /** Spec §4.4. */
  @Post('send-template')
  @HttpCode(200)
  @Needs('send_template')
  @Responds(TemplateSendResult, 'Send an approved template', { errors: SendTemplate.errors })
  async template(@CurrentCaller() caller: Caller, @Body() body: SendTemplateRequest) {
    const message = {
      to: recipientOf(body.phone),
      template_name: body.template_name,
      language: body.language ?? DEFAULT_LANGUAGE,
      body_params: (body.body_params ?? []).map(String),
      header_params: (body.header_params ?? []).map(String),
      button_params: (body.button_params ?? []).map(String),
    };
    const { result } = await this.sending.send(SendTemplate, message, caller);
    return { ...result, template: body.template_name };
  }

  /** Spec §4.5. */
  @Post('send-text')
  @HttpCode(200)
  @Needs('send_text')
  @Responds(SendResult, 'Send a text within the 24-hour window', { errors: SendText.errors })
  async text(@CurrentCaller() caller: Caller, @Body() body: SendTextRequest) {
    const message = {
      to: recipientOf(body.phone),
      text: body.message,
      ...replyTo(body),
      ...(body.preview_url === false && { preview_url: false }),
    };
    return (await this.sending.send(SendText, message, caller)).result;
  }

  /** Spec §4.6. */
  @Post('send-media')
  @HttpCode(200)
  @Needs('send_media')
  @Responds(MediaSendResult, 'Send an image, document, video or audio within the 24-hour window', { errors: SendMedia.errors })
  async media(@CurrentCaller() caller: Caller, @Body() body: SendMediaRequest) {
    const { media_type, media_url, caption, filename } = body;
    const carriesFilename = media_type === 'document';
    const message = {
      to: recipientOf(body.phone),
      media_type,
      media_url,
      caption: caption || null,
      filename: carriesFilename ? (filename ?? null) : null,
      ...replyTo(body),
      ...(body.voice === true && { voice: true }),
    };
    const { result } = await this.sending.send(SendMedia, message, caller);
    return { ...result, media_type };
  }

  @Post('send-interactive')
  @HttpCode(200)
  @Needs('send_interactive')
  @Responds(InteractiveSendResult, 'Send buttons, a list, a link, a request for a location or a flow within the 24-hour window', {
    errors: SendInteractive.errors,
  })
  async interactive(@CurrentCaller() caller: Caller, @Body() body: SendInteractiveRequest) {
    const message = { to: recipientOf(body.phone), content: shaped(InteractiveContent, body), ...replyTo(body) };
    const { result } = await this.sending.send(SendInteractive, message, caller);
    return { ...result, kind: body.kind };
  }

  @Post('send-location')
  @HttpCode(200)
  @Needs('send_interactive')
  @Responds(SendResult, 'Send a location within the 24-hour window', { errors: SendLocation.errors })
  async location(@CurrentCaller() caller: Caller, @Body() body: SendLocationRequest) {
    const message = { to: recipientOf(body.phone), location: shaped(LocationContent, body), ...replyTo(body) };
    return (await this.sending.send(SendLocation, message, caller)).result;
  }

  @Post('send-contacts')
  @HttpCode(200)
  @Needs('send_interactive')
  @Responds(SendResult, 'Send contact cards within the 24-hour window', { errors: SendContacts.errors })
  async contacts(@CurrentCaller() caller: Caller, @Body() body: SendContactsRequest) {
    const message = { to: recipientOf(body.phone), contacts: shaped(ContactCards, body.contacts), ...replyTo(body) };
    return (await this.sending.send(SendContacts, message, caller)).result;
  }

  @Post('send-reaction')
  @HttpCode(200)
  @Needs('send_interactive')
  @Responds(SendResult, 'React to a message within the 24-hour window, or remove the reaction', { errors: SendReaction.errors })
  async reaction(@CurrentCaller() caller: Caller, @Body() { phone, message_id, emoji }: SendReactionRequest) {
    return (await this.sending.send(SendReaction, { to: recipientOf(phone), message_id, emoji }, caller)).result;
  }

  /** Spec §4.7. */
  @Post('send-otp')
  @HttpCode(200)
  @Needs('send_otp')
  @Responds(OtpSendResult, 'Send a one-time password through an approved template', { errors: SendOtp.errors })
  async otp(@CurrentCaller() caller: Caller, @Body() body: SendOtpRequest) {
    const { template_name, language, otp } = body;
    const message = { to: recipientOf(body.phone), template_name, language: language ?? DEFAULT_LANGUAGE, otp: otp ?? null };
    const { result, sent } = await this.sending.send(SendOtp, message, caller);
    return { ...result, otp: sent.otp };
  }
}

/** Absent without a quoted message, so that a plain send keeps the fingerprint of its Idempotency-Key. */
const replyTo = ({ reply_to }: { reply_to?: string | null }) => (reply_to ? { reply_to } : {});
