import type { Logger } from '@mgw/telemetry';
import { eventually } from '@mgw/testing';
import { MailServer } from '../../test/mail-server.fixture';
import { GatewayConfig } from '../gateway.config';
import { Mailer } from './mailer';

const mails = new MailServer();
let url: string;
beforeAll(async () => {
  url = await mails.start();
});
afterAll(() => mails.stop());

const ENVIRONMENT = {
  DATABASE_URL: 'postgresql://db',
  NATS_URL: 'nats://nats',
  REDIS_URL: 'redis://redis',
  SEALING_KEYS: `1:${'A'.repeat(43)}=`,
  API_KEY_PEPPER: 'p',
};

/** @returns what the mailer logged */
function send(smtpUrl: string, to: string): unknown[] {
  const logged: unknown[] = [];
  const logger = { warn: (...line: unknown[]) => logged.push(line) } as never as Logger;
  const mailer = new Mailer(GatewayConfig.load({ ...ENVIRONMENT, SMTP_URL: smtpUrl }), logger);
  mailer.send('business:1', () => Promise.resolve([{ to, subject: 'Subject', text: 'Text' }]));
  return logged;
}

describe('mails (decision 299)', () => {
  it('do not leave without TLS, unless SMTP_URL permits it; a failure logs neither address nor text', async () => {
    const logged = send(url.replace('?requireTLS=false', ''), 'ravi@mail.example');
    await eventually(() => logged.length > 0);
    expect(logged).toEqual([[{ code: 'ETLS', response_code: expect.any(Number) as number }, 'a mail was not sent']]);
    send(url, 'ravi@mail.example');
    await eventually(() => mails.received.length > 0);
    expect(mails.received.map(({ to }) => to)).toEqual(['ravi@mail.example']);
  });

  it('need the URL of a mail server', () => {
    for (const SMTP_URL of ['http://mail.example', 'mail.example:587', 'smtp:mail'])
      expect(() => GatewayConfig.load({ ...ENVIRONMENT, SMTP_URL })).toThrow('SMTP_URL must be smtp://… or smtps://…');
  });
});
