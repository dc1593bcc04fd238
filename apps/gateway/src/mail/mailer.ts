import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { LOGGER } from '@mgw/service';
import { Shares, type SharesOptions } from '@mgw/shares';
import type { Logger } from '@mgw/telemetry';
import type { Transporter } from 'nodemailer';
import { GatewayConfig } from '../gateway.config';

/** One holder has at most two mails on their way and twenty that wait, each of some hundred bytes. */
const SHARES: SharesOptions = { places: 4, largest: 2 / 4, waiting: { room: 200, largest: 20 / 200 } };
/** How long a mail waits for its turn, and how long the mail server may take for it, in milliseconds. */
const TURN_WITHIN_MS = 60_000;
const SENT_WITHIN_MS = 20_000;
/** How long a shutdown waits for mails on their way, in milliseconds. */
const LINGER_MS = 2_000;

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends mails through the operator's mail server (SMTP_URL). Nobody waits for one: whoever needs its link can request another. */
@Injectable()
export class Mailer implements BeforeApplicationShutdown {
  private readonly transport: Promise<Transporter> | null;
  private readonly shares = new Shares(SHARES);
  private readonly running = new Set<Promise<void>>();

  constructor(
    { smtpUrl, smtpFrom }: GatewayConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // Without requireTLS anyone on the way could suppress STARTTLS and read links. The URL's own parameters win over these.
    const options = { url: smtpUrl, requireTLS: true, disableFileAccess: true, disableUrlAccess: true };
    // Loaded only if mails are configured: the library takes 2 MB of memory.
    this.transport =
      smtpUrl === '' ? null : import('nodemailer').then(({ createTransport }) => createTransport(options, { from: smtpFrom }));
  }

  get isConfigured(): boolean {
    return this.transport !== null;
  }

  /**
   * Composes and sends mails in the background.
   * @param holder the business or the network whose share they take
   */
  send(holder: string, compose: () => Promise<Mail[]>): void {
    if (this.transport === null) return;
    const sending = this.sendAll(this.transport, holder, compose).catch((error: { code?: string; responseCode?: number }) =>
      // The error's message may contain an address.
      this.logger.warn({ code: error.code, response_code: error.responseCode }, 'a mail was not sent'),
    );
    this.running.add(sending);
    void sending.finally(() => this.running.delete(sending));
  }

  async beforeApplicationShutdown(): Promise<void> {
    const lingered = pause(LINGER_MS, undefined, { ref: false });
    await Promise.race([Promise.all(this.running), lingered]);
  }

  private async sendAll(transport: Promise<Transporter>, holder: string, compose: () => Promise<Mail[]>): Promise<void> {
    const release = await this.shares.take(holder, TURN_WITHIN_MS);
    if (release === null) throw Object.assign(new Error('too many mails wait'), { code: 'TOO_MANY_WAIT' });
    try {
      const ready = await transport;
      for (const { to, ...mail } of await compose()) {
        // An object, because nodemailer would parse a text, which may name other recipients.
        await ready.sendMail({ ...mail, to: { name: '', address: to }, signal: AbortSignal.timeout(SENT_WITHIN_MS) });
      }
    } finally {
      release();
    }
  }
}
