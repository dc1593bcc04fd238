import { Injectable, type PipeTransform } from '@nestjs/common';
import { notFound } from './refusals';

/** An id in a path. What cannot be one is nobody's: the same 404 as for an unknown or a foreign id. */
@Injectable()
export class IdPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
    if (!Number.isSafeInteger(id)) throw notFound();
    return id;
  }
}
