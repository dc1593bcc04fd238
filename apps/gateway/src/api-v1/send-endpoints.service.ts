import { Injectable } from '@nestjs/common';
import { GatewayError, type ResponseOf } from '@mgw/contracts';
import type { Caller } from '../access/rest-api';
import { DRY_RUN_FAULT, type DryRunnable } from '../requests/dry-run';
import { isDryRun } from '../requests/field-rules';
import { recipientOf } from '../requests/recipient';
import { idempotencyKeyOf } from '../requests/idempotency';
import { SendingService, type ContentOf, type SendOperation } from '../sending/sending.service';

/** Reads the parts of a send endpoint's request. A reader throws VALIDATION_FAILED for a fault that the request class cannot state. */
interface SendReader<O extends SendOperation, X extends object> {
  caller: Caller & { idempotencyKey?: string | undefined };
  request: DryRunnable & { phone: string };
  /** Checks of the request as a whole. */
  checks?: (() => void)[];
  to?: () => string;
  message: () => ContentOf<O>;
  /** The members of the endpoint's own result. */
  result?: (sent: ResponseOf<O>) => X;
}

/** Sends the message of a request, or only checks it (decision 332). */
@Injectable()
export class SendEndpoints {
  constructor(private readonly sending: SendingService) {}

  async send<O extends SendOperation, X extends object>(operation: O, reader: SendReader<O, X>) {
    const { caller, request, checks = [], to = () => recipientOf(request.phone), message, result: own } = reader;
    if (isDryRun(request)) return this.check(operation, { ...reader, checks, to });
    for (const check of checks) check();
    const { result, sent } = await this.sending.send(operation, { to: to(), ...message() } as never, caller);
    return { ...result, ...(own?.(sent as ResponseOf<O>) as X) };
  }

  private async check<O extends SendOperation, X extends object>(operation: O, reader: Required<Omit<SendReader<O, X>, 'result'>>) {
    const { caller, request, checks } = reader;
    const found = request[DRY_RUN_FAULT];
    const faults = found ? [found] : [];
    const fields = faults.flatMap(fieldsOf);
    const read = <T>(part: () => T, isValid: boolean) => (isValid ? collecting(faults, part) : null);
    const to = read(reader.to, !fields.includes('phone'));
    const message = read(
      reader.message,
      fields.every((field) => field === 'phone'),
    );
    const key = caller.idempotencyKey ?? caller.request.headers['idempotency-key'];
    for (const check of [...checks, () => idempotencyKeyOf(key)]) collecting(faults, check);
    const { problems, ...checked } = await this.sending.check(operation, { to, message }, caller);
    const inputProblems = faults.map(({ error_code, message, extras }) => ({ error_code, message, details: extras['details'] as Details }));
    const all = [...inputProblems, ...problems].map(({ message: error, ...problem }) => ({ ...problem, error }));
    return {
      ...{ success: true as const, dry_run: true as const, would_send: all.length === 0, problems: all, phone: to },
      ...(message && 'template_name' in message && { template: message.template_name as string }),
      ...checked,
    };
  }
}

type Details = { field: string; message: string }[];

/** The names of the wrong fields, without the paths within them. */
function fieldsOf({ extras }: GatewayError): string[] {
  return (extras['details'] as Details).map(({ field }) => field.split('.')[0] ?? '');
}

function collecting<T>(faults: GatewayError[], read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    faults.push(error);
    return null;
  }
}
