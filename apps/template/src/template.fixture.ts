import { FindWantedEvents, GetConnection, ListTemplates, SetConnection, type GatewayError } from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import { eventually, startReceiver } from '@mgw/testing';
import { service } from './main';

export const bodyOf = (text: string) => ({ type: 'BODY', text });

export const approved = (name: string, components: object[], rest: object = {}) => ({
  id: `9${name.length}`,
  name,
  language: 'en',
  status: 'APPROVED',
  category: 'UTILITY',
  components,
  ...rest,
});

/** @returns the error code of a rejected call */
export const codeOf = (promise: Promise<unknown>) => promise.then(String, (error: GatewayError) => error.error_code);

/** Connects a business to a number, with sealed secrets. */
export function connect({ rpc, sealer }: Harness, business_id: number, change: object = {}) {
  const seal = (secret: string) => sealer.seal(`${secret} ${business_id}`, `connection.${secret}:${business_id}`);
  return rpc.call(SetConnection, {
    business_id,
    phone_number_id: `70${business_id}`,
    business_account_id: `80${business_id}`,
    access_token_sealed: seal('access_token'),
    app_secret_sealed: seal('app_secret'),
    verify_token_sealed: seal('verify_token'),
    ...change,
  });
}

/** Starts two replicas of the template service with a fake platform, which the members of `platform` control. */
export async function startTemplate() {
  const harness = await startHarness(service);
  const wanted = { events: [] as string[] };
  harness.respond(FindWantedEvents, ({ business_ids }) => ({ wanted: business_ids.map(() => wanted.events) }));
  const graph = await startReceiver();
  harness.onClose(() => graph.close());
  harness.env['META_GRAPH_BASE_URL'] = graph.url;
  let respondHeld: (() => void) | null = null;
  const platform = {
    templates: [approved('order', [bodyOf('Hello {{1}}, order {{2}}')])] as { name: string }[],
    number: { id: '7', status: 'CONNECTED' },
    refusal: null as { status: number; code: number } | null,
    /** Responses to the requests whose path contains `part`, before all others. */
    fixed: [] as { part: string; status?: number; body: object }[],
    /** The response to a change of a template. */
    written: {} as object,
    /** Holds the next response to a path with this part until the test calls `sendHeld`. */
    heldPath: null as string | null,
  };
  graph.respond(({ method, path }, response) => {
    const send = (status: number, content: object) => {
      const respond = () => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
      if (platform.heldPath === null || !path.includes(platform.heldPath)) return respond();
      platform.heldPath = null;
      respondHeld = respond;
    };
    const { templates, number, refusal } = platform;
    const fixed = platform.fixed.find(({ part }) => path.includes(part));
    if (fixed) return send(fixed.status ?? 200, fixed.body);
    if (refusal) return send(refusal.status, { error: { code: refusal.code, message: 'no' } });
    if (method !== 'GET') return send(200, platform.written);
    const after = Number(new URL(path, graph.url).searchParams.get('after') ?? 0);
    const more = after + 2 < templates.length;
    const paging = { cursors: { after: String(after + 2) }, ...(more && { next: 'more' }) };
    send(200, path.includes('message_templates') ? { data: templates.slice(after, after + 2), paging } : number);
  });
  const replicas = [await harness.run(service), await harness.run(service)];
  return {
    harness,
    /** The events that every business wants; set them before the first change. */
    wanted,
    graph,
    platform,
    replicas,
    connect: (businessId = 1, change: object = {}) => connect(harness, businessId, change),
    connection: async () => (await harness.rpc.call(GetConnection, { business_id: 1 })).connection,
    synced: (state = 'done') =>
      eventually(async () => {
        const all = await harness.rpc.call(ListTemplates, { business_id: 1 });
        return all.sync.state === state && all;
      }),
    /** Waits for the request to `heldPath`. */
    held: () => eventually(() => respondHeld),
    sendHeld: async () => (await eventually(() => respondHeld))(),
  };
}
export type TemplateFixture = Awaited<ReturnType<typeof startTemplate>>;
