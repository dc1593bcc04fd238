import { matches, MessageId } from '@mgw/contracts';
import { Injectable, type PipeTransform } from '@nestjs/common';
import { notFound } from './refusals';

/** A message id in a path. A malformed id gets the same 404 as an unknown one. */
@Injectable()
export class MessageIdPipe implements PipeTransform<string, string> {
  transform(text: string): string {
    if (!matches(MessageId, text)) throw notFound();
    return text;
  }
}
