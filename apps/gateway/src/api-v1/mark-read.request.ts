import { Type } from '@sinclair/typebox';
import { IsOptional } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { HasShape, IsMessageId } from '../requests/field-rules';
import { IgnoresUnknownFields } from '../requests/request.pipe';

@IgnoresUnknownFields()
@JSONSchema({ example: { message_id: 'wamid.HBgLMTIwMTU1NTAxMDAVAgASGBQzQTlGMkMwRTdCNUQxMzY4MEEA', typing: true } })
export class MarkReadRequest {
  @IsMessageId()
  message_id!: string;

  /** Whether the customer sees that you are typing, for 25 seconds or until your next message. */
  @IsOptional()
  @HasShape(Type.Boolean())
  typing?: boolean | null;
}
