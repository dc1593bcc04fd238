import { Injectable } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Id, IsoTime } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { currentOrigin, type Origin } from '../audit/audit-origin';
import { AuditStore } from '../audit/audit.store';
import { BusinessesStore } from '../businesses/businesses.store';
import { GatewayConfig } from '../gateway.config';
import { networkOf } from '../http/caller';
import { Mailer, type Mail } from '../mail/mailer';
import { LoginAttemptsStore, type AttemptSubject } from './login-attempts.store';
import { accountSubject } from './login-subjects';
import { PasswordLinksStore, type PasswordLink } from './password-links.store';
import { UsersStore } from './users.store';

/** Maximum number of mails with links to one address of email within 15 minutes, whoever caused them (decision 719). */
const MAILED_LINKS = 3;
const IGNORE = 'If you do not expect this mail, ignore it: nothing changes.\n';
const ONCE = 'Shown this once; it works once.';

export const AddedPerson = Type.Object(
  {
    id: Id,
    message: Type.String(),
    invite_url: Type.Optional(Type.String({ description: `Only without \`password\`: the person sets one here. ${ONCE}` })),
    expires_at: Type.Optional(IsoTime),
  },
  { title: 'AddedPerson' },
);

export const ResetLink = Type.Object(
  { reset_url: Type.String({ description: ONCE }), expires_at: IsoTime, message: Type.String() },
  { title: 'ResetLink' },
);

/** A link with its person. */
export interface PersonalLink extends PasswordLink {
  email: string;
  business_id: number | null;
  purpose: 'invitation' | 'reset';
}

/** Links count for an address before they are mailed to it. @param email normalized */
export const mailLimit = (email: string): AttemptSubject => ({ subject: `link:${accountSubject(email)}`, limit: MAILED_LINKS });

/** Hands links of invitations and resets over: in the response to the person who makes one, and by mail if SMTP_URL is set. */
@Injectable()
export class PasswordLinks {
  constructor(
    private readonly db: Database,
    private readonly users: UsersStore,
    private readonly links: PasswordLinksStore,
    private readonly businesses: BusinessesStore,
    private readonly attempts: LoginAttemptsStore,
    private readonly audit: AuditStore,
    private readonly mailer: Mailer,
    private readonly config: GatewayConfig,
  ) {}

  get areMailed(): boolean {
    return this.mailer.isConfigured;
  }

  /** @param link null if the person was added with a password */
  async added({ id, link }: { id: number; link: PersonalLink | null }) {
    if (link === null) return { id, message: 'Added. They can log in now.' };
    const { url: invite_url, ...shown } = await this.handOver(link);
    return { id, invite_url, ...shown, message: `Invited. ${shown.message}` };
  }

  async reset(link: PersonalLink) {
    const { url: reset_url, ...shown } = await this.handOver(link);
    return { reset_url, ...shown };
  }

  /** Mails links of all accounts of the address that have none that was handed over. The caller does not wait, so that it cannot find out whether there are any. */
  mailResets(email: string, ip: string): void {
    const origin = currentOrigin();
    this.mailer.send(`network:${networkOf(ip)}`, async () => {
      const links: PersonalLink[] = [];
      for (const { id, business_id } of await this.users.allByEmail(email)) {
        const link = await this.createRequested(id, business_id, origin);
        if (link) links.push({ ...link, email, business_id, purpose: 'reset' });
      }
      return this.composeResets(links);
    });
  }

  private async handOver(link: PersonalLink) {
    return { url: this.urlOf(link), expires_at: link.expires_at.toISOString(), message: await this.mail(link) };
  }

  /** Anybody may add any address, so this has the limit of requested links. @returns how the link gets to the person */
  private async mail(link: PersonalLink): Promise<string> {
    const yourself = 'Send the person this link: it is not shown again, and it expires in 24 hours.';
    if (!this.areMailed) return yourself;
    const { taken } = await this.attempts.take([mailLimit(link.email)]);
    if (!taken) return `No mail was sent. ${yourself}`;
    this.mailer.send(`business:${link.business_id}`, async () => [await this.compose(link)]);
    return 'The link is on its way by mail. You can also send it yourself: it is not shown again, and it expires in 24 hours.';
  }

  private createRequested(user_id: number, business_id: number | null, origin: Origin | null): Promise<PasswordLink | null> {
    return this.db.transaction(async (tx) => {
      const link = await this.links.createRequested(tx, user_id);
      if (link) await this.audit.addForgotten({ user_id, business_id }, origin, tx);
      return link;
    });
  }

  /** The name of the business is the only text of the mail that people choose, so that no mail carries words of a stranger. */
  private async compose(link: PersonalLink): Promise<Mail> {
    const place = await this.placeOf(link);
    const [subject, reason] =
      link.purpose === 'invitation'
        ? [`Your invitation to ${place}`, `You are invited to ${place}. Set your password within 24 hours:`]
        : [`Your password at ${place}`, `A new password was requested for you at ${place}. Set it within 24 hours:`];
    const text = `${reason}\n\n${this.urlOf(link)}\n\n${IGNORE}`;
    return { to: link.email, subject, text };
  }

  /** @returns one mail with all links: a request takes one of the three mails of an address, however many accounts that has */
  private async composeResets(links: PersonalLink[]): Promise<Mail[]> {
    const [first, ...others] = links;
    if (!first) return [];
    if (others.length === 0) return [await this.compose(first)];
    let text = 'New passwords were requested for your accounts. Set each of them within 24 hours:\n\n';
    for (const link of links) text += `${await this.placeOf(link)}:\n${this.urlOf(link)}\n\n`;
    return [{ to: first.email, subject: 'Your passwords', text: text + IGNORE }];
  }

  private async placeOf({ business_id }: PersonalLink): Promise<string> {
    return business_id === null ? 'the messaging gateway' : onOneLine((await this.businesses.get(business_id)).name);
  }

  /** Browsers do not send the fragment, so no log has the token. */
  private urlOf({ token }: PasswordLink): string {
    return new URL(`/password#token=${token}`, this.config.publicUrl).toString();
  }
}

/** A name with line breaks would add lines to a mail. */
const onOneLine = (name: string): string => name.replace(/[\s\p{Cc}]+/gu, ' ');
