import { Events } from './events';
import { Transport, type CallOptions, type FileContent, type GatewayOptions } from './transport';
import type { components, paths } from './schema';

export { GatewayRefusal, type CallOptions, type GatewayOptions } from './transport';

type V1 = `/api/v1/${string}`;
type Path = Extract<keyof paths, V1>;
type Method = 'get' | 'post' | 'put' | 'delete';
type Operation<P extends Path, M extends Method> = NonNullable<paths[P][M]>;
type BodyOf<P extends Path, M extends Method> =
  Operation<P, M> extends { requestBody: { content: { 'application/json': infer B } } } ? B : never;
type QueryOf<P extends Path> = Operation<P, 'get'> extends { parameters: { query?: infer Q } } ? Q : never;
type ResultOf<P extends Path, M extends Method> =
  Operation<P, M> extends { responses: { 200: { content: { 'application/json': infer R } } } } ? R : never;

export type DryRunResult = components['schemas']['DryRunResult'];
export type BroadcastDryRun = components['schemas']['BroadcastDryRun'];
/** With `dry_run: true` nothing is sent, and the result lists the problems. */
interface Send<P extends Path, D = DryRunResult> {
  (body: BodyOf<P, 'post'> & { dry_run: true }, options?: CallOptions): Promise<D>;
  (body: BodyOf<P, 'post'> & { dry_run?: false | null }, options?: CallOptions): Promise<Exclude<ResultOf<P, 'post'>, D>>;
  (body: BodyOf<P, 'post'>, options?: CallOptions): Promise<ResultOf<P, 'post'>>;
}

/**
 * The REST API with a method for each operation but `quick-send`, whose sends have methods of their own. Methods return the body of a success,
 * and throw GatewayRefusal for an error.
 */
export class Gateway {
  readonly events: Events;
  readonly sendTemplate = this.send('/api/v1/send-template');
  readonly sendText = this.send('/api/v1/send-text');
  readonly sendMedia = this.send('/api/v1/send-media');
  readonly sendOtp = this.send('/api/v1/send-otp');
  readonly sendInteractive = this.send('/api/v1/send-interactive');
  readonly sendLocation = this.send('/api/v1/send-location');
  readonly sendContacts = this.send('/api/v1/send-contacts');
  readonly sendReaction = this.send('/api/v1/send-reaction');
  readonly createBroadcast = this.send<'/api/v1/broadcasts', BroadcastDryRun>('/api/v1/broadcasts');
  private readonly transport: Transport;

  constructor(options: GatewayOptions) {
    this.transport = new Transport(options);
    this.events = new Events(this.transport);
  }

  health(options?: CallOptions) {
    return this.get('/api/v1/health', {}, undefined, options);
  }
  templates(options?: CallOptions) {
    return this.get('/api/v1/templates', {}, undefined, options);
  }

  markRead(body: BodyOf<'/api/v1/mark-read', 'post'>, options?: CallOptions) {
    return this.write('post', '/api/v1/mark-read', {}, body, options);
  }

  messageStatus(message_id: string, options?: CallOptions) {
    return this.get('/api/v1/message-status/{message_id}', { message_id }, undefined, options);
  }
  messageStatuses(message_ids: string[], options?: CallOptions) {
    return this.write('post', '/api/v1/message-status', {}, { message_ids }, options);
  }
  messages(query: QueryOf<'/api/v1/messages'> = {}, options?: CallOptions) {
    return this.get('/api/v1/messages', {}, query, options);
  }
  conversation(phone: string, options?: CallOptions) {
    return this.get('/api/v1/conversations/{phone}', { phone }, undefined, options);
  }

  /** @param content bytes, a Blob or a stream, which is never retried @returns the `media_id` for `sendMedia` */
  uploadMedia(content: FileContent, { type, filename }: { type: string; filename?: string }, options?: CallOptions) {
    const call = { method: 'post', path: '/api/v1/media', query: { filename }, file: { content, type } } as const;
    return this.transport.call<ResultOf<'/api/v1/media', 'post'>>(call, options);
  }
  /** @param options `range` such as `bytes=0-1023` for a part @returns the file as a stream: `response.body` */
  downloadMedia(media_id: string, options: CallOptions & { range?: string } = {}): Promise<Response> {
    const { range } = options;
    return this.transport.open({ method: 'get', path: '/api/v1/media/{media_id}', at: { media_id }, range, returnsFile: true }, options);
  }
  mediaInfo(media_id: string, options?: CallOptions) {
    return this.get('/api/v1/media/{media_id}', { media_id }, { info: 1 }, options);
  }

  broadcast(id: number, options?: CallOptions) {
    return this.get('/api/v1/broadcasts/{id}', { id }, undefined, options);
  }
  broadcastRecipients(id: number, query: QueryOf<'/api/v1/broadcasts/{id}/recipients'> = {}, options?: CallOptions) {
    return this.get('/api/v1/broadcasts/{id}/recipients', { id }, query, options);
  }
  pauseBroadcast(id: number, options?: CallOptions) {
    return this.write('post', '/api/v1/broadcasts/{id}/pause', { id }, undefined, options);
  }
  resumeBroadcast(id: number, options?: CallOptions) {
    return this.write('post', '/api/v1/broadcasts/{id}/resume', { id }, undefined, options);
  }
  cancelBroadcast(id: number, options?: CallOptions) {
    return this.write('post', '/api/v1/broadcasts/{id}/cancel', { id }, undefined, options);
  }

  suppressions(query: QueryOf<'/api/v1/suppressions'> = {}, options?: CallOptions) {
    return this.get('/api/v1/suppressions', {}, query, options);
  }
  suppression(phone: string, options?: CallOptions) {
    return this.get('/api/v1/suppressions/{phone}', { phone }, undefined, options);
  }
  suppress(phone: string, body: BodyOf<'/api/v1/suppressions/{phone}', 'put'>, options?: CallOptions) {
    return this.write('put', '/api/v1/suppressions/{phone}', { phone }, body, options);
  }
  liftSuppression(phone: string, options?: CallOptions) {
    return this.write('delete', '/api/v1/suppressions/{phone}', { phone }, undefined, options);
  }
  importSuppressions(rows: BodyOf<'/api/v1/suppressions/import', 'post'>['rows'], options?: CallOptions) {
    return this.write('post', '/api/v1/suppressions/import', {}, { rows }, options);
  }

  webhooks(options?: CallOptions) {
    return this.get('/api/v1/webhooks', {}, undefined, options);
  }
  createWebhook(body: BodyOf<'/api/v1/webhooks', 'post'>, options?: CallOptions) {
    return this.transport.call<ResultOf<'/api/v1/webhooks', 'post'>>(
      { method: 'post', path: '/api/v1/webhooks', body, takesKey: true },
      options,
    );
  }
  updateWebhook(id: number, body: BodyOf<'/api/v1/webhooks/{id}', 'put'>, options?: CallOptions) {
    return this.write('put', '/api/v1/webhooks/{id}', { id }, body, options);
  }
  deleteWebhook(id: number, options?: CallOptions) {
    return this.write('delete', '/api/v1/webhooks/{id}', { id }, undefined, options);
  }
  webhookDeliveries(id: number, query: QueryOf<'/api/v1/webhooks/{id}/deliveries'> = {}, options?: CallOptions) {
    return this.get('/api/v1/webhooks/{id}/deliveries', { id }, query, options);
  }
  recoverWebhook(id: number, body: BodyOf<'/api/v1/webhooks/{id}/recover', 'post'>, options?: CallOptions) {
    return this.write('post', '/api/v1/webhooks/{id}/recover', { id }, body, options);
  }
  webhookRecovery(id: number, options?: CallOptions) {
    return this.get('/api/v1/webhooks/{id}/recover', { id }, undefined, options);
  }
  cancelWebhookRecovery(id: number, options?: CallOptions) {
    return this.write('delete', '/api/v1/webhooks/{id}/recover', { id }, undefined, options);
  }

  private get<P extends Path>(path: P, at: Record<string, string | number>, query?: object, options?: CallOptions) {
    return this.transport.call<ResultOf<P, 'get'>>({ method: 'get', path, at, query }, options);
  }

  private write<P extends Path, M extends 'post' | 'put' | 'delete'>(
    method: M,
    path: P,
    at: Record<string, string | number>,
    body?: object,
    options?: CallOptions,
  ) {
    return this.transport.call<ResultOf<P, M>>({ method, path, at, body }, options);
  }

  private send<P extends Path, D = DryRunResult>(path: P): Send<P, D> {
    return ((body: object, options?: CallOptions) => this.transport.call({ method: 'post', path, body, takesKey: true }, options)) as Send<
      P,
      D
    >;
  }
}
