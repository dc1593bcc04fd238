import { Injectable } from '@nestjs/common';
import { type Sender, GatewayError } from '@mgw/contracts';
import type { RpcContext } from '@mgw/rpc';
import { ConnectionService, type PlatformConnection } from '../connection/connection.service';
import { MessageOwnerStore } from '../conversations/message-owner.store';
import { MediaStore } from '../media/media.store';
import type { OutgoingMessage } from './outgoing-message';
import { reportingRefusal, stopAtFirst, type ReportProblem } from './problems';
import { foreignFile, foreignMessage } from './send-errors';

/** The platform's names of temporary account restrictions (platform §4.6). */
const RESTRICTION_KINDS = { template: 'RESTRICTED_BIZ_INITIATED_MESSAGING', freeForm: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING' };

/** Refuses a send that the platform would refuse. @throws GatewayError NOT_CONNECTED */
function refuseRestricted({ restriction }: PlatformConnection, kind: keyof typeof RESTRICTION_KINDS): void {
  if (!restriction?.kinds.includes(RESTRICTION_KINDS[kind])) return;
  const what = kind === 'template' ? 'templates' : 'free-form messages';
  // With several restrictions, `until` is the end of the last one.
  const until = restriction.until === null ? '' : ` until ${restriction.until}${restriction.kinds.length > 1 ? ' at the latest' : ''}`;
  throw new GatewayError('NOT_CONNECTED', `The messaging platform restricts this account: it may not send ${what}${until}.`, {
    hint: 'Open the account in Business Manager: it violated a policy of the platform.',
  });
}

/** The recipient of a message whose phone is invalid, in a dry run. */
export const NO_RECIPIENT = '';

/** Builds a message of one kind; finds its template, for example. */
export type PrepareMessage = (report: ReportProblem) => OutgoingMessage | Promise<OutgoingMessage>;

export interface Examined {
  connection: PlatformConnection | null;
  outgoing: OutgoingMessage | null;
}

/** The checks before the reservation, in the order of decision 1: connection, needs of the kind, quoted message, file, restriction. */
@Injectable()
export class MessageChecks {
  constructor(
    private readonly connections: ConnectionService,
    private readonly owners: MessageOwnerStore,
    private readonly files: MediaStore,
  ) {}

  /** @throws GatewayError for the first problem */
  async passOrThrow(sender: Sender, context: RpcContext, prepare: PrepareMessage) {
    return (await this.examine(sender, context, prepare, stopAtFirst)) as { [K in keyof Examined]: NonNullable<Examined[K]> };
  }

  /** @param prepare null for a message that cannot be built; its own checks are left out */
  async examine({ business_id }: Sender, context: RpcContext, prepare: PrepareMessage | null, report: ReportProblem): Promise<Examined> {
    const connection = await reportingRefusal(report, () => this.connections.forBusiness(business_id, context));
    const outgoing = prepare && (await reportingRefusal(report, () => prepare(report)));
    if (outgoing) await this.checkQuote(outgoing, report);
    if (outgoing?.file) await this.checkFile(business_id, outgoing.file, report);
    if (connection && outgoing)
      await reportingRefusal(report, () => refuseRestricted(connection, outgoing.needsWindow ? 'freeForm' : 'template'));
    return { connection, outgoing };
  }

  private async checkFile(
    businessId: number,
    { field, mediaId }: NonNullable<OutgoingMessage['file']>,
    report: ReportProblem,
  ): Promise<void> {
    if (!(await this.files.mayBeSent(businessId, mediaId))) report(foreignFile(field));
  }

  /** The platform quotes a foreign message as an empty box, and refuses a reaction to one without naming the field (decision 303). */
  private async checkQuote({ sender, to, quotes }: OutgoingMessage, report: ReportProblem): Promise<void> {
    if (!quotes || to === NO_RECIPIENT) return;
    if (!(await this.owners.belongsTo(sender.business_id, to, quotes.messageId))) report(foreignMessage(quotes.field));
  }
}
