import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail server that keeps what it receives. */
export class MailServer {
  readonly received: { to: string; text: string }[] = [];
  private readonly server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, { envelope }, done) => {
      void text(stream).then((raw) => {
        // Quoted-printable: soft line breaks, and `=`.
        const decoded = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
        this.received.push({ to: envelope.rcptTo.map(({ address }) => address).join(), text: decoded });
        done();
      });
    },
  });

  /** @returns its SMTP_URL */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}?requireTLS=false`;
  }

  to = (address: string) => this.received.filter((mail) => mail.to === address).map((mail) => mail.text);
  stop = () => new Promise<void>((resolve) => this.server.close(resolve));
}
