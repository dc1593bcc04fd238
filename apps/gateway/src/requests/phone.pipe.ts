import { Injectable, type PipeTransform } from '@nestjs/common';
import { normalizePhone } from '@mgw/phone';
import { invalid } from './refusals';

/** A phone number in a path, in any form that the send endpoints accept. */
@Injectable()
export class PhonePipe implements PipeTransform<string, string> {
  transform(text: string): string {
    const phone = normalizePhone(text);
    if (!phone.ok) throw invalid('phone', phone.reason);
    return phone.value;
  }
}
