import { Controller, Get, Query } from '@nestjs/common';
import { GatewayError, SendTemplate, SendText } from '@mgw/contracts';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, Needs, RestApi, type Caller } from '../access/rest-api';
import { DEFAULT_LANGUAGE } from '../requests/field-rules';
import { splitParams } from '../requests/quick-params';
import { invalid } from '../requests/refusals';
import { recipientOf } from '../requests/recipient';
import { Responds } from '../responses/responds';
import { orDryRun } from '../sending/sending.responses';
import { QuickSendResult } from './api-v1.responses';
import { SendEndpoints } from './send-endpoints.service';
import { QuickSendRequest } from './send.requests';

@Controller('api/v1/quick-send')
@RestApi()
export class QuickSendController {
  constructor(private readonly endpoints: SendEndpoints) {}

  /** Spec §4.3, §5.7: sends by GET, so a browser that prefetches must send nothing (decision 4). */
  @Get()
  @Responds(orDryRun(QuickSendResult), 'Send a template or a text by GET', {
    errors: [...new Set([...SendTemplate.errors, ...SendText.errors])],
    repeatable: true,
  })
  @Needs('send_template')
  async quickSend(@CurrentCaller() current: Caller, @Query() request: QuickSendRequest) {
    const { template, message } = request;
    const checks = [
      () => refusePrefetch(current.request),
      () => checkPlain(current.request),
      () => refuseOtherKey(request, current.request),
    ];
    const caller = { ...current, idempotencyKey: request.idempotency_key };
    const to = () => recipientOf(phoneOf(request, current.request));
    const oneOf = <T>(content: T): T => {
      if ((template === undefined) === (message === undefined)) throw needsOne();
      return content;
    };
    if (message !== undefined)
      return this.endpoints.send(SendText, { caller, request, checks, to, message: () => oneOf({ text: message }) });
    const content = () =>
      oneOf({
        template_name: template as string,
        language: request.lang ?? DEFAULT_LANGUAGE,
        body_params: splitParams(request.params ?? ''),
        header_params: [],
        button_params: [],
      });
    const result = () => ({ template: template as string });
    return this.endpoints.send(SendTemplate, { caller, request, checks, to, message: content, result });
  }
}

function refusePrefetch({ headers }: FastifyRequest): void {
  const purpose = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']].join(' ').toLowerCase();
  if (/prefetch|prerender|preview/.test(purpose)) throw new GatewayError('VALIDATION_FAILED', 'A prefetch sends nothing.');
}

/** Refuses `a[]=` and `a[b]=`, which other tools read as lists and objects (decision 11). */
function checkPlain({ url, query }: FastifyRequest): void {
  if (decoded(url) === null) throw new GatewayError('VALIDATION_FAILED', 'The query is not percent-encoded UTF-8.');
  const odd = Object.keys(query as object).find((name) => /[[\]]/.test(name));
  if (odd !== undefined) throw invalid(odd, 'is not a plain parameter: give each parameter once, as text');
}

/** Refuses two different Idempotency-Keys: a repeat that shares only one of them could send twice (decision 24). */
function refuseOtherKey({ idempotency_key }: QuickSendRequest, { headers }: FastifyRequest): void {
  const header = headers['idempotency-key'];
  if (header === undefined || idempotency_key === undefined || header === idempotency_key) return;
  const message = 'must be the same in the header and in the query';
  const details = ['Idempotency-Key', 'idempotency_key'].map((field) => ({ field, message }));
  throw new GatewayError('VALIDATION_FAILED', `Idempotency-Key and idempotency_key ${message}: send one of them.`, { details });
}

/** The phone as written: a query parser reads its `+`, which announces the country code, as a space (spec §2.1, decision 8). */
function phoneOf({ phone }: QuickSendRequest, { url }: FastifyRequest): string {
  // Either an unencoded + or a stray space, and the two mean different numbers (decision 52).
  if (phone.startsWith(' ') && phone.replace(/[-\s()]/g, '').length === 10)
    throw invalid('phone', 'begins with a space before ten digits: write %2B for a leading +, or leave the space out');
  const [, written] = /^[^?]*\?(?:[^&]*&)*?phone=([^&]*)/.exec(url) ?? [];
  return decoded(written ?? '') || phone;
}

/** @returns null unless the text is percent-encoded UTF-8 */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function needsOne(): GatewayError {
  const message = 'give either template or message';
  const details = ['template', 'message'].map((field) => ({ field, message }));
  return new GatewayError('VALIDATION_FAILED', 'Give either template or message: one of them, not both.', { details });
}
