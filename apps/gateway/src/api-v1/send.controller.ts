import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { SendMedia, SendOtp, SendTemplate, SendText } from '@mgw/contracts';
import { CurrentCaller, Needs, RestApi, type Caller } from '../access/rest-api';
import { DEFAULT_LANGUAGE } from '../requests/field-rules';
import { Responds } from '../responses/responds';
import { SendResult } from '../sending/sending.responses';
import { SendingService } from '../sending/sending.service';
import { MediaSendResult, OtpSendResult, TemplateSendResult } from './api-v1.responses';
import { recipientOf, SendMediaRequest, SendOtpRequest, SendTemplateRequest, SendTextRequest } from './send.requests';

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
    const { result } = await this.sending.send(SendText, { to: recipientOf(body.phone), text: body.message }, caller);
    return result;
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
    };
    const { result } = await this.sending.send(SendMedia, message, caller);
    return { ...result, media_type };
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
