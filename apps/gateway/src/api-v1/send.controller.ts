import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { SendMedia, SendOtp, SendTemplate, SendText } from '@mgw/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentKey, Needs, RestApi } from '../access/rest-api';
import type { KeyAccess } from '../api-keys/key-access';
import { recipientOf, SendMediaRequest, SendOtpRequest, SendTemplateRequest, SendTextRequest } from './send.requests';
import { SendsService } from './sends.service';

/** What a language is when none is given (spec §4.4). */
const LANGUAGE = 'en';

/** Answers of send endpoints are 200 (product decision 36). */
@Controller('api/v1')
@RestApi()
export class SendController {
  constructor(private readonly sends: SendsService) {}

  /** Spec §4.4. */
  @Post('send-template')
  @HttpCode(200)
  @Needs('send_template')
  async template(
    @CurrentKey() key: KeyAccess,
    @Body() body: SendTemplateRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const message = {
      to: recipientOf(body.phone),
      template_name: body.template_name,
      language: body.language ?? LANGUAGE,
      body_params: (body.body_params ?? []).map(String),
      header_params: (body.header_params ?? []).map(String),
      button_params: (body.button_params ?? []).map(String),
    };
    const { result } = await this.sends.send(SendTemplate, message, { key, request, reply });
    return { ...result, template: body.template_name };
  }

  /** Spec §4.5. */
  @Post('send-text')
  @HttpCode(200)
  @Needs('send_text')
  async text(
    @CurrentKey() key: KeyAccess,
    @Body() body: SendTextRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { result } = await this.sends.send(SendText, { to: recipientOf(body.phone), text: body.message }, { key, request, reply });
    return result;
  }

  /** Spec §4.6. */
  @Post('send-media')
  @HttpCode(200)
  @Needs('send_media')
  async media(
    @CurrentKey() key: KeyAccess,
    @Body() body: SendMediaRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { media_type, media_url, caption, filename } = body;
    const carriesFilename = media_type === 'document';
    const message = {
      to: recipientOf(body.phone),
      media_type,
      media_url,
      caption: caption ?? null,
      filename: carriesFilename ? (filename ?? null) : null,
    };
    const { result } = await this.sends.send(SendMedia, message, { key, request, reply });
    return { ...result, media_type };
  }

  /** Spec §4.7. */
  @Post('send-otp')
  @HttpCode(200)
  @Needs('send_otp')
  async otp(
    @CurrentKey() key: KeyAccess,
    @Body() body: SendOtpRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { template_name, language, otp } = body;
    const message = { to: recipientOf(body.phone), template_name, language: language ?? LANGUAGE, otp: otp ?? null };
    const { result, sent } = await this.sends.send(SendOtp, message, { key, request, reply });
    return { ...result, otp: sent.otp };
  }
}
