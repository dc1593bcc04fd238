import { Injectable } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { matches } from '@mgw/contracts';
import { Egress } from '@mgw/egress';
import { Sealer } from '@mgw/sealing';
import { AutoReplyConfig } from '../auto-reply.config';
import type { Settings } from '../settings/settings.store';

export interface Turn {
  role: 'user' | 'assistant';
  content: string;
}

const ANSWER_WITHIN_MS = 20_000;
/** The largest response body: an escaped reply of 4,096 characters, with room for the model's other fields. */
const MAX_ANSWER_BYTES = 128 * 1024;
/** Statuses below 500 that may pass by themselves. */
const PASSING = [408, 425, 429];
/** Of a text message (platform §1.2). */
const MAX_TEXT = 4_096;

/** What we need of `POST {base_url}/chat/completions` of an OpenAI-compatible API. */
const Completion = Type.Object({
  choices: Type.Array(Type.Object({ message: Type.Object({ content: Type.Union([Type.String(), Type.Null()]) }) }), { minItems: 1 }),
});

/** The model did not answer with something that can be sent; the message says why, without secrets. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';

  /** @param mayPass whether another try may succeed with the same settings */
  constructor(
    message: string,
    readonly mayPass = true,
  ) {
    super(message);
  }
}

/** This process ends before the model has answered: the question is another's. */
export class CutOff extends Error {
  override readonly name = 'CutOff';
}

/** Asks a business's language model, through the same door as every address that customers give (guarantees §5). */
@Injectable()
export class ModelService {
  constructor(
    private readonly egress: Egress,
    private readonly sealer: Sealer,
    private readonly config: AutoReplyConfig,
  ) {}

  /** @throws ModelFailure, CutOff */
  async answer(businessId: number, settings: Settings, turns: Turn[]): Promise<string> {
    const base = (settings.base_url ?? this.config.baseUrl).replace(/\/+$/, '');
    const key = settings.api_key_sealed && this.sealer.open(settings.api_key_sealed, `auto_reply.api_key:${businessId}`);
    const messages = [...(settings.instructions ? [{ role: 'system', content: settings.instructions }] : []), ...turns];
    const result = await this.egress.ask(
      {
        url: `${base}/chat/completions`,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': 'messaging-gateway/1.0',
          ...(key && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model: settings.model, messages }),
        timeoutMs: ANSWER_WITHIN_MS,
      },
      MAX_ANSWER_BYTES,
    );
    if (result.kind === 'timeout') throw new ModelFailure('the model did not answer within 20 seconds');
    if (result.kind === 'refused') throw new ModelFailure('the address of the model may not be called', false);
    if (result.kind === 'cut_off') throw new CutOff('the model was still thinking');
    if (result.kind === 'unreachable') throw new ModelFailure('the model could not be reached');
    if (result.status !== 200)
      throw new ModelFailure(`the model answered ${result.status}`, result.status >= 500 || PASSING.includes(result.status));
    return textOf(result.text);
  }
}

function textOf(body: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new ModelFailure('the model did not answer with JSON');
  }
  if (!matches(Completion, value)) throw new ModelFailure('the model did not answer with a chat completion');
  // Nobody could store NUL, or send half a surrogate pair.
  const text = (value.choices[0]?.message.content ?? '').replaceAll('\0', '').toWellFormed().trim();
  if (text === '') throw new ModelFailure('the model answered with nothing');
  return [...text].slice(0, MAX_TEXT).join('');
}
