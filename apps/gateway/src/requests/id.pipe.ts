import { Injectable, type PipeTransform } from '@nestjs/common';
import { matches, MessageId, notFound } from '@mgw/contracts';

/** A numeric id in a path. A malformed id gets the same 404 as an unknown one. */
@Injectable()
export class IdPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
    if (!Number.isSafeInteger(id)) throw notFound();
    return id;
  }
}

/** A message id in a path. A malformed id gets the same 404 as an unknown one. */
@Injectable()
export class MessageIdPipe implements PipeTransform<string, string> {
  transform(text: string): string {
    if (!matches(MessageId, text)) throw notFound();
    return text;
  }
}
