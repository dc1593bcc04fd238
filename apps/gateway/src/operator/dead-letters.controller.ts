import { Controller, Delete, Get, Param, Post, type PipeTransform } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import {
  DeadLetterRecord,
  discardDeadLetter,
  getDeadLetter,
  listDeadLetters,
  notFound,
  replayDeadLetter,
  SERVICES,
  type ServiceName,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore } from '../audit/audit.store';
import { IdPipe } from '../requests/id.pipe';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { SessionUser } from '../sessions/session-user';

const Service = Type.Union(SERVICES.map((service) => Type.Literal(service)));
const DeadLettersResponse = Type.Object(
  {
    dead_letters: Type.Array(Type.Composite([Type.Object({ service: Service }), DeadLetterRecord])),
    totals: Type.Array(Type.Object({ service: Service, total: Type.Integer() }), {
      description: 'How many each service has; a service that does not respond is absent.',
    }),
  },
  { title: 'DeadLetters' },
);
const DeadLetterResponse = Type.Object({ body: Type.String({ description: 'At most 64 k characters.' }) }, { title: 'DeadLetter' });

/** The name of a service in a path. */
class ServicePipe implements PipeTransform<string, ServiceName> {
  transform(name: string): ServiceName {
    const service = SERVICES.find((one) => one === name);
    if (service === undefined) throw notFound();
    return service;
  }
}

/** Events and updates that a service could not handle (guarantees §2, §4). */
@Controller('api/admin/dead-letters')
@NeedsSession()
export class DeadLettersController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audit: AuditStore,
  ) {}

  @Get()
  @Responds(DeadLettersResponse, 'List the dead letters of all services, at most 100 of each, the oldest first')
  async list() {
    const lists = await Promise.all(
      SERVICES.map(async (service) => ({ service, list: await this.rpc.call(listDeadLetters(service), {}).catch(() => null) })),
    );
    return {
      dead_letters: lists.flatMap(({ service, list }) => (list?.letters ?? []).map((letter) => ({ service, ...letter }))),
      totals: lists.flatMap(({ service, list }) => (list ? [{ service, total: list.total }] : [])),
    };
  }

  @Get(':service/:id')
  @Responds(DeadLetterResponse, 'Show the body of a dead letter')
  async show(@Param('service', ServicePipe) service: ServiceName, @Param('id', IdPipe) id: number) {
    const { body } = await this.rpc.call(getDeadLetter(service), { id });
    if (body === null) throw notFound();
    return { body };
  }

  @Post(':service/:id/replay')
  @Responds(Done, 'Handle a dead letter again; it stays with the new reason if that fails')
  async replay(@CurrentUser() user: SessionUser, @Param('service', ServicePipe) service: ServiceName, @Param('id', IdPipe) id: number) {
    await this.change(user, 'dead-letter.replayed', service, id, async () => this.rpc.call(replayDeadLetter(service), { id }));
    return { message: 'The service handles it again in a moment.' };
  }

  @Delete(':service/:id')
  @Responds(Done, 'Discard a dead letter')
  async discard(@CurrentUser() user: SessionUser, @Param('service', ServicePipe) service: ServiceName, @Param('id', IdPipe) id: number) {
    await this.change(user, 'dead-letter.discarded', service, id, async () => this.rpc.call(discardDeadLetter(service), { id }));
    return { message: 'Dead letter discarded.' };
  }

  private async change(
    { user_id }: SessionUser,
    action: 'dead-letter.replayed' | 'dead-letter.discarded',
    service: ServiceName,
    id: number,
    write: () => Promise<{ found: boolean }>,
  ): Promise<void> {
    await this.audit.record({ user_id, business_id: null, action, target: `dead-letter:${service}:${id}`, detail: {} }, async () => {
      const { found } = await write();
      if (!found) throw notFound();
    });
  }
}
