import {
  FindTemplates,
  FindWantedEvents,
  GetConnections,
  ReportConnectionProblem,
  SendMedia,
  SendOtp,
  SendTemplate,
  SendText,
  SyncTemplates,
  type GatewayError,
  type ResponseOf,
  type RequestOf,
  type SendContacts,
  type SendInteractive,
  type SendLocation,
  type SendReaction,
  type Restriction,
  type Sender,
  type TemplateShape,
} from '@mgw/contracts';
import { startHarness } from '@mgw/harness';
import { service } from './main';
import { startPlatform } from './platform.fixture';

const ORDER: TemplateShape = {
  id: 1,
  name: 'order_update',
  language: 'en',
  category: 'UTILITY',
  content: 'Hello {{1}}, order {{2}}.',
  body_variables: ['1', '2'],
  named: false,
  header_format: null,
  header_text: null,
  header_variables: [],
  button_parameters: [],
};

const LOGIN: TemplateShape = {
  ...ORDER,
  name: 'login_code',
  category: 'AUTHENTICATION',
  content: '*{{1}}* is your code.',
  body_variables: ['1'],
  button_parameters: [{ index: 0, takes: 'otp' }],
};
const PLAIN: TemplateShape = { ...LOGIN, name: 'otp_plain', category: 'UTILITY', button_parameters: [] };

const OFFER: TemplateShape = { ...PLAIN, name: 'offer', category: 'MARKETING' };

/** A template with six variables, whose long values together exceed WhatsApp's limit. */
const LONG: TemplateShape = { ...ORDER, name: 'long', content: '{{1}} {{2}} {{3}} {{4}} {{5}} {{6}}', body_variables: [...'123456'] };

/** A template with a header format that the Cloud API cannot send. */
const MOVING: TemplateShape = { ...PLAIN, name: 'moving', header_format: 'GIF' };

type FreeSend =
  | typeof SendContacts
  | typeof SendInteractive
  | typeof SendLocation
  | typeof SendMedia
  | typeof SendReaction
  | typeof SendText;

/** @returns the business's phone_number_id */
export function numberOf(businessId: number): string {
  return String(699 + businessId);
}

/** Starts a harness for the send service, with a fake platform and a fake template service. */
export async function startSending({
  restriction = null,
  wanted = () => [],
}: { restriction?: Restriction | null; wanted?: (businessId: number) => string[] } = {}) {
  const harness = await startHarness(service);
  const platform = await startPlatform();
  harness.env['META_GRAPH_BASE_URL'] = platform.url;
  harness.onClose(platform.close);
  let hangs = false;
  const orHang = <T>(reply: T) => (hangs ? new Promise<T>(() => undefined) : reply);
  harness.respond(GetConnections, ({ business_ids }) =>
    orHang({
      connections: business_ids.map((business_id) => ({
        business_id,
        phone_number_id: numberOf(business_id),
        business_account_id: '800',
        access_token_sealed: harness.sealer.seal('token', `connection.access_token:${business_id}`),
        app_secret_sealed: 'x',
        previous_app_secret_sealed: null,
        verify_token_sealed: 'x',
        status: 'connected' as const,
        checked_at: null,
        problem: null,
        restriction,
      })),
    }),
  );
  harness.respond(FindTemplates, ({ names }) =>
    orHang({
      found: names.map(({ name, language }) => ({
        template: [ORDER, LOGIN, PLAIN, OFFER, LONG, MOVING].find((template) => template.name === name && language === 'en') ?? null,
        available_languages: name === ORDER.name ? ['en', 'en_US'] : [],
        ...(name === `${ORDER.name}s` && { similar: ORDER.name }),
      })),
    }),
  );
  harness.respond(FindWantedEvents, ({ business_ids }) => ({ wanted: business_ids.map(wanted) }));
  const reported: number[] = [];
  harness.respond(ReportConnectionProblem, ({ platform_code }) => {
    reported.push(platform_code);
    return {};
  });
  harness.respond(SyncTemplates, () => ({ state: 'running' as const, started_at: new Date().toISOString() }));

  const sender = (change: Partial<Sender> = {}): Sender => ({
    business_id: 1,
    sent_by: 'api',
    api_key_id: 1,
    plan: 'Growth',
    daily_limit: 10_000,
    timezone: 'Asia/Kolkata',
    idempotency: null,
    ...change,
  });
  const resultOf = async <T>(promise: Promise<T>): Promise<T | GatewayError> => promise.catch((error: GatewayError) => error);
  return {
    harness,
    platform,
    reported,
    sender,
    /** Makes the template service hang on every request. */
    hang: () => void (hangs = true),
    run: (env = {}) => harness.run(service, env),
    template: (
      change: Partial<Sender> = {},
      { to = '919876543210', name = 'order_update', params = ['Asha', '7'], deadlineAt = Date.now() + 60_000 } = {},
    ) =>
      resultOf(
        harness.rpc.call(
          SendTemplate,
          {
            sender: sender(change),
            to,
            template_name: name,
            language: 'en',
            body_params: params,
            header_params: [],
            button_params: [],
          },
          { deadlineAt },
        ),
      ),
    text: (change: Partial<Sender> = {}, to = '919876543210') =>
      resultOf(harness.rpc.call(SendText, { sender: sender(change), to, text: 'Hi' })),
    media: (content: Partial<RequestOf<typeof SendMedia>> = {}) =>
      resultOf(
        harness.rpc.call(SendMedia, {
          sender: sender(),
          to: '919876543210',
          media_type: 'image',
          media_url: 'https://example.com/a.png',
          caption: 'Look',
          filename: null,
          ...content,
        }),
      ),
    /** Sends any kind of free message. */
    free: async <O extends FreeSend>(operation: O, message: Omit<RequestOf<O>, 'sender' | 'to'>, change: Partial<Sender> = {}) =>
      resultOf<ResponseOf<O>>(harness.rpc.call(operation, { sender: sender(change), to: '919876543210', ...message } as RequestOf<O>)),
    otp: (change: Partial<Sender> = {}, { template_name = 'login_code', otp = null as string | null } = {}) =>
      resultOf(harness.rpc.call(SendOtp, { sender: sender(change), to: '919876543210', template_name, language: 'en', otp })),
    states: async () =>
      (await harness.db.query<{ state: string }>('SELECT state FROM send.intents ORDER BY created_at')).map(({ state }) => state),
    used: async () =>
      Number((await harness.db.query<{ used: number }>('SELECT coalesce(sum(used), 0) AS used FROM send.daily_usage'))[0]?.used),
  };
}
export type Sending = Awaited<ReturnType<typeof startSending>>;
