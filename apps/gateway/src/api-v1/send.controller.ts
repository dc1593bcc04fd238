import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { SendTemplate, SendText } from '@mgw/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentKey, Needs, RestApi } from '../access/rest-api';
import type { KeyAccess } from '../api-keys/key-access';
import { recipientOf, SendTemplateRequest, SendTextRequest } from './send.requests';
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
    const sent = await this.sends.send(SendTemplate, message, { key, request, reply });
    return { ...sent, template: body.template_name };
  }

  /** Spec §4.5. */
  @Post('send-text')
  @HttpCode(200)
  @Needs('send_text')
  text(
    @CurrentKey() key: KeyAccess,
    @Body() body: SendTextRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.sends.send(SendText, { to: recipientOf(body.phone), text: body.message }, { key, request, reply });
  }
}
