import { matches, MessageId } from '@mgw/contracts';
import { Injectable, type PipeTransform } from '@nestjs/common';
import { notFound } from './refusals';

/** A message's id in a path. What cannot be one is nobody's: the same 404 as for an unknown or a foreign id. */
@Injectable()
export class MessageIdPipe implements PipeTransform<string, string> {
  transform(text: string): string {
    if (!matches(MessageId, text)) throw notFound();
    return text;
  }
}
