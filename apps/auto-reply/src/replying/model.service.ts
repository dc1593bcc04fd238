import { Injectable } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { matches } from '@mgw/contracts';
import { Egress } from '@mgw/egress';
import { Sealer } from '@mgw/sealing';
import { AutoReplyConfig } from '../auto-reply.config';
import type { Settings } from '../settings/settings.store';

export interface ChatMessage {
  role: 'user' | 'assistant';
  content: string;
}

const RESPONSE_TIMEOUT_MS = 20_000;
/** Fits an escaped reply of 4,096 characters and the model's other fields. */
const MAX_RESPONSE_BYTES = 128 * 1024;
/** Transient statuses below 500. */
const TRANSIENT = [408, 425, 429];
/** Characters of a text message (platform §1.2). */
const MAX_TEXT = 4_096;

/** The part of a `POST {base_url}/chat/completions` response that the gateway reads. */
const Completion = Type.Object({
  choices: Type.Array(Type.Object({ message: Type.Object({ content: Type.Union([Type.String(), Type.Null()]) }) }), { minItems: 1 }),
});

/** The model returned no reply that can be sent; the message has the reason and contains no secrets. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';

  /** @param isTransient whether a retry may succeed with the same settings */
  constructor(
    message: string,
    readonly isTransient = true,
  ) {
    super(message);
  }
}

/** This process stops before the model has replied; another worker claims the question. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Calls a business's language model through egress, like every address that customers supply (guarantees §5). */
@Injectable()
export class ModelService {
  constructor(
    private readonly egress: Egress,
    private readonly sealer: Sealer,
    private readonly config: AutoReplyConfig,
  ) {}

  /** @returns null without a key @throws ModelFailure if the stored key is damaged */
  openKey(businessId: number, { api_key_sealed }: Settings): string | null {
    if (api_key_sealed === null) return null;
    const key = this.sealer.openOrNull(api_key_sealed, `auto_reply.api_key:${businessId}`);
    if (key === null) throw new ModelFailure('the stored model API key cannot be read: save it again', false);
    return key;
  }

  /** @throws ModelFailure, Interrupted */
  async reply(settings: Settings, key: string | null, conversation: ChatMessage[]): Promise<string> {
    const base = (settings.base_url ?? this.config.baseUrl).replace(/\/+$/, '');
    const messages = [...(settings.instructions ? [{ role: 'system', content: settings.instructions }] : []), ...conversation];
    const result = await this.egress.postAndRead(
      {
        url: `${base}/chat/completions`,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(key && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model: settings.model, messages }),
        timeoutMs: RESPONSE_TIMEOUT_MS,
      },
      MAX_RESPONSE_BYTES,
    );
    if (result.kind === 'timeout') throw new ModelFailure('the model did not respond within 20 seconds');
    if (result.kind === 'refused') throw new ModelFailure('the address of the model may not be called', false);
    if (result.kind === 'cut_off') throw new Interrupted('the service stopped before the model replied');
    if (result.kind === 'unreachable') throw new ModelFailure('the model could not be reached');
    if (result.status !== 200)
      throw new ModelFailure(`the model responded with ${result.status}`, result.status >= 500 || TRANSIENT.includes(result.status));
    return textOf(result.text);
  }
}

function textOf(body: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new ModelFailure("the model's response is not JSON");
  }
  if (!matches(Completion, value)) throw new ModelFailure("the model's response is not a chat completion");
  // PostgreSQL cannot store NUL, and the platform refuses lone surrogates.
  const text = (value.choices[0]?.message.content ?? '').replaceAll('\0', '').toWellFormed().trim();
  if (text === '') throw new ModelFailure("the model's reply is empty");
  return [...text].slice(0, MAX_TEXT).join('');
}
