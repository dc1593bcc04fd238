import { Body, Controller, Post } from '@nestjs/common';
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
import { orDryRun, SendResult } from '../sending/sending.responses';
import { templateOf } from '../sending/template-content';
import { InteractiveSendResult, MediaSendResult, OtpSendResult, TemplateSendResult } from './api-v1.responses';
import { SendEndpoints } from './send-endpoints.service';
import {
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
  constructor(private readonly endpoints: SendEndpoints) {}

  /** Spec §4.4. */
  @Post('send-template')
  @Needs('send_template')
  @Responds(orDryRun(TemplateSendResult), 'Send an approved template', { errors: SendTemplate.errors })
  template(@CurrentCaller() caller: Caller, @Body() request: SendTemplateRequest) {
    const message = () => templateOf(request);
    return this.endpoints.send(SendTemplate, { caller, request, message, result: () => ({ template: request.template_name }) });
  }

  /** Spec §4.5. */
  @Post('send-text')
  @Needs('send_text')
  @Responds(orDryRun(SendResult), 'Send a text within the 24-hour window', { errors: SendText.errors })
  text(@CurrentCaller() caller: Caller, @Body() request: SendTextRequest) {
    const message = () => ({
      text: request.message,
      ...replyTo(request),
      ...(request.preview_url === false && { preview_url: false }),
    });
    return this.endpoints.send(SendText, { caller, request, message });
  }

  /** Spec §4.6. */
  @Post('send-media')
  @Needs('send_media')
  @Responds(orDryRun(MediaSendResult), 'Send an image, document, video or audio within the 24-hour window', { errors: SendMedia.errors })
  media(@CurrentCaller() caller: Caller, @Body() request: SendMediaRequest) {
    const { media_type, media_url, media_id, caption, filename } = request;
    const carriesFilename = media_type === 'document';
    const message = () => ({
      media_type,
      ...(media_id ? { media_id } : { media_url: media_url as string }),
      caption: caption || null,
      filename: carriesFilename ? (filename ?? null) : null,
      ...replyTo(request),
      ...(request.voice === true && { voice: true }),
    });
    return this.endpoints.send(SendMedia, { caller, request, message, result: () => ({ media_type }) });
  }

  @Post('send-interactive')
  @Needs('send_interactive')
  @Responds(orDryRun(InteractiveSendResult), 'Send buttons, a list, a link, a request for a location or a flow within the 24-hour window', {
    errors: SendInteractive.errors,
  })
  interactive(@CurrentCaller() caller: Caller, @Body() request: SendInteractiveRequest) {
    const message = () => ({ content: shaped(InteractiveContent, request), ...replyTo(request) });
    return this.endpoints.send(SendInteractive, { caller, request, message, result: () => ({ kind: request.kind }) });
  }

  @Post('send-location')
  @Needs('send_interactive')
  @Responds(orDryRun(SendResult), 'Send a location within the 24-hour window', { errors: SendLocation.errors })
  location(@CurrentCaller() caller: Caller, @Body() request: SendLocationRequest) {
    const message = () => ({ location: shaped(LocationContent, request), ...replyTo(request) });
    return this.endpoints.send(SendLocation, { caller, request, message });
  }

  @Post('send-contacts')
  @Needs('send_interactive')
  @Responds(orDryRun(SendResult), 'Send contact cards within the 24-hour window', { errors: SendContacts.errors })
  contacts(@CurrentCaller() caller: Caller, @Body() request: SendContactsRequest) {
    const message = () => ({ contacts: shaped(ContactCards, request.contacts), ...replyTo(request) });
    return this.endpoints.send(SendContacts, { caller, request, message });
  }

  @Post('send-reaction')
  @Needs('send_interactive')
  @Responds(orDryRun(SendResult), 'React to a message within the 24-hour window, or remove the reaction', { errors: SendReaction.errors })
  reaction(@CurrentCaller() caller: Caller, @Body() request: SendReactionRequest) {
    const { message_id, emoji } = request;
    return this.endpoints.send(SendReaction, { caller, request, message: () => ({ message_id, emoji }) });
  }

  /** Spec §4.7. */
  @Post('send-otp')
  @Needs('send_otp')
  @Responds(orDryRun(OtpSendResult), 'Send a one-time password through an approved template', { errors: SendOtp.errors })
  otp(@CurrentCaller() caller: Caller, @Body() request: SendOtpRequest) {
    const { template_name, language, otp } = request;
    const message = () => ({ template_name, language: language ?? DEFAULT_LANGUAGE, otp: otp ?? null });
    return this.endpoints.send(SendOtp, { caller, request, message, result: (sent) => ({ otp: sent.otp }) });
  }
}

/** Absent without a quoted message, so that a plain send keeps the fingerprint of its Idempotency-Key. */
const replyTo = ({ reply_to }: { reply_to?: string | null }) => (reply_to ? { reply_to } : {});
