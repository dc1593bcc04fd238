import { IsIn, IsOptional, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import type { MediaType } from '@mgw/contracts';
import { normalizePhone } from '@mgw/phone';
import {
  IsCaption,
  IsCode,
  IsFilename,
  IsMediaUrl,
  IsMessageText,
  IsName,
  IsParams,
  IsPhoneNumber,
  IsQuickParams,
  IsRecipient,
} from '../requests/field-rules';
import { IgnoresUnknownFields } from '../requests/request.pipe';

/** Spec §4.4. */
@IgnoresUnknownFields()
@JSONSchema({ example: { phone: '+1 201 555 0100', template_name: 'order_update', language: 'en', body_params: ['Asha', '1007'] } })
export class SendTemplateRequest {
  @IsRecipient()
  phone!: string;

  @IsName(512)
  template_name!: string;

  @IsOptional()
  @IsName(20)
  language?: string | null;

  @IsOptional()
  @IsParams()
  body_params?: (string | number)[] | null;

  @IsOptional()
  @IsParams()
  header_params?: (string | number)[] | null;

  /** For templates with a dynamic URL button (decision 15). */
  @IsOptional()
  @IsParams()
  button_params?: (string | number)[] | null;
}

/** Spec §4.5. */
@IgnoresUnknownFields()
@JSONSchema({ example: { phone: '+1 201 555 0100', message: 'Your order is on its way.' } })
export class SendTextRequest {
  @IsRecipient()
  phone!: string;

  @IsMessageText()
  message!: string;
}

/** Spec §4.6. */
@IgnoresUnknownFields()
@JSONSchema({ example: { phone: '+1 201 555 0100', media_type: 'image', media_url: 'https://example.com/loom.jpg', caption: 'The loom' } })
export class SendMediaRequest {
  @IsRecipient()
  phone!: string;

  @IsIn(['image', 'document', 'video', 'audio'], { message: 'media_type must be one of image, document, video, audio' })
  media_type!: MediaType;

  @IsMediaUrl()
  media_url!: string;

  @IsOptional()
  @IsCaption()
  caption?: string | null;

  @IsOptional()
  @IsFilename()
  filename?: string | null;
}

/** Spec §4.7. */
@IgnoresUnknownFields()
@JSONSchema({ example: { phone: '+1 201 555 0100', template_name: 'login_code' } })
export class SendOtpRequest {
  @IsRecipient()
  @IsPhoneNumber()
  phone!: string;

  @IsName(512)
  template_name!: string;

  @IsOptional()
  @IsCode()
  otp?: string | null;

  @IsOptional()
  @IsName(20)
  language?: string | null;
}

/** Spec §4.3. Every value in a query is text. */
@IgnoresUnknownFields()
@JSONSchema({ example: { phone: '+1 201 555 0100', template: 'order_update', params: 'Asha,1007' } })
export class QuickSendRequest {
  @IsRecipient()
  phone!: string;

  @IsOptional()
  @IsName(512)
  template?: string;

  @IsOptional()
  @IsName(20)
  lang?: string;

  @IsOptional()
  @IsQuickParams()
  params?: string;

  @IsOptional()
  @IsMessageText()
  message?: string;

  @IsOptional()
  @IsString()
  idempotency_key?: string;
}

/** @param phone a validated one */
export function recipientOf(phone: string): string {
  const normalized = normalizePhone(phone);
  if (!normalized.ok) throw new Error('the phone was not validated');
  return normalized.value;
}
