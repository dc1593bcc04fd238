import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Matches } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Optional } from '../requests/field-rules';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import { sessionToken } from '../sessions/session-cookie';
import type { BusinessUser } from '../sessions/session-user';
import { IsUnattended } from '../sessions/session.strategy';
import { EventStreamService } from './event-stream.service';

const EVENT_ID = /^\d{1,12}(\.\d{1,3})?$/;

class EventStreamQuery {
  /** The id of the last event received, for readers that cannot set Last-Event-ID. */
  @Optional(Matches(EVENT_ID, { message: 'after must be the id of an event' }))
  after?: string;
}

/** The live tail of the business's events (spec §10). */
@Controller('api/client/events')
@NeedsSession()
export class EventStreamController {
  constructor(private readonly streams: EventStreamService) {}

  @Get('stream')
  @IsUnattended()
  @Responds(Type.String(), 'Follow the business’s events live; continues after `Last-Event-ID`', { contentType: 'text/event-stream' })
  async stream(
    @CurrentUser() { business_id }: BusinessUser,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query() { after }: EventStreamQuery,
  ): Promise<string> {
    const header = request.headers['last-event-id'];
    const last = typeof header === 'string' && EVENT_ID.test(header) ? header : after;
    const token = sessionToken(request.headers.cookie) ?? '';
    await this.streams.serve(reply, { businessId: business_id, token, after: last === undefined ? null : Number(last) });
    return '';
  }
}
