import { Body, Controller, Delete, Get, Param, Query, type StreamableFile } from '@nestjs/common';
import { exportPerson, FindPerson, PEOPLE_SERVICES, type PersonRef } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore, contactTarget } from '../audit/audit.store';
import { pageOf, PageQuery } from '../requests/page';
import { PhonePipe } from '../requests/phone.pipe';
import { Made } from '../responses/done';
import { Downloads, pagesOf } from '../responses/downloads';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { ErasureService } from './erasure.service';
import { ErasuresStore } from './erasures.store';
import { ErasePersonRequest } from './people.requests';
import { ErasuresResponse, PersonExport } from './people.responses';

/** Hands over and erases what the gateway stores about a person. */
@Controller('api/client')
@NeedsSession()
export class PeopleController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audit: AuditStore,
    private readonly erasure: ErasureService,
    private readonly erasures: ErasuresStore,
    private readonly downloads: Downloads,
  ) {}

  @Get('people/:phone/export')
  @Responds(PersonExport, 'Download what the gateway stores about a person, as JSON lines', {
    errors: ['VALIDATION_FAILED'],
    contentType: 'application/x-ndjson',
  })
  async export(@CurrentUser() { user_id, business_id }: BusinessUser, @Param('phone', PhonePipe) phone: string) {
    const person = { business_id, ...(await this.rpc.call(FindPerson, { business_id, phone })) };
    const download: StreamableFile = this.downloads.stream(String(business_id), this.lines(person), {
      type: 'application/x-ndjson',
      filename: 'person.jsonl',
    });
    try {
      await this.audit.add({ user_id, business_id, action: 'person.exported', target: contactTarget(phone), detail: {} });
    } catch (error) {
      // Nobody reads this stream, so it would keep its place until it counts as stalled.
      download.getStream().destroy();
      throw error;
    }
    return download as never;
  }

  @Delete('people/:phone')
  @Responds(Made, 'Erase a person: messages, names, events and deliveries. Counts stay, and an opt-out as a hash')
  async erase(@CurrentUser() user: BusinessUser, @Param('phone', PhonePipe) phone: string, @Body() { reason }: ErasePersonRequest) {
    return { id: await this.erasure.request(user, phone, reason), message: 'The erasure has begun.' };
  }

  @Get('erasures')
  @Responds(ErasuresResponse, 'List erasures of people, the newest first')
  list(@CurrentUser() { business_id }: BusinessUser, @Query() query: PageQuery) {
    const { limit, cursor } = pageOf(query);
    return this.erasures.list(business_id, limit, cursor);
  }

  private async *lines(person: PersonRef): AsyncGenerator<string> {
    for (const service of PEOPLE_SERVICES)
      for await (const { rows } of pagesOf((cursor) => this.rpc.call(exportPerson(service), { ...person, cursor })))
        yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
}
