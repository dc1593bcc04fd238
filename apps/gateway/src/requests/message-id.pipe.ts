import { Injectable, type PipeTransform } from '@nestjs/common';
import { notFound } from './refusals';

const IS_ID = /^[\x21-\x7e]{1,512}$/;

/** A message's id in a path. What cannot be one is nobody's: the same 404 as for an unknown or a foreign id. */
@Injectable()
export class MessageIdPipe implements PipeTransform<string, string> {
  transform(text: string): string {
    if (!IS_ID.test(text)) throw notFound();
    return text;
  }
}
