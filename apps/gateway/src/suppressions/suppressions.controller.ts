import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { PhonePipe } from '../requests/phone.pipe';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { ImportSuppressionsRequest, SetSuppressionRequest, SuppressionsQuery } from './suppressions.requests';
import { SuppressionResponse, SuppressionsImported, SuppressionsResponse } from './suppressions.responses';
import { SuppressionsService } from './suppressions.service';

/** Contacts that get no messages, and why (spec §10, decision 18). */
@Controller('api/client/suppressions')
@NeedsSession()
export class SuppressionsController {
  constructor(private readonly suppressions: SuppressionsService) {}

  @Get()
  @Responds(SuppressionsResponse, 'List suppressed contacts, the newest first, as JSON or CSV', { csv: true })
  async list(@CurrentUser() { business_id }: BusinessUser, @Query() query: SuppressionsQuery) {
    return query.format === 'csv' ? this.suppressions.download(business_id) : this.suppressions.list(business_id, query);
  }

  @Post('import')
  @Responds(SuppressionsImported, 'Suppress up to 10,000 contacts; the response names the rows with faults')
  import(@CurrentUser() user: BusinessUser, @Body() request: ImportSuppressionsRequest) {
    return this.suppressions.import(user, request);
  }

  @Get(':phone')
  @Responds(SuppressionResponse, 'Show the suppression of a contact', { errors: ['NOT_FOUND', 'VALIDATION_FAILED'] })
  show(@CurrentUser() { business_id }: BusinessUser, @Param('phone', PhonePipe) phone: string) {
    return this.suppressions.get(business_id, phone);
  }

  @Put(':phone')
  @Responds(Done, 'Suppress a contact')
  set(@CurrentUser() user: BusinessUser, @Param('phone', PhonePipe) phone: string, @Body() request: SetSuppressionRequest) {
    return this.suppressions.set(user, phone, request);
  }

  @Delete(':phone')
  @Responds(Done, 'Lift a suppression of any origin', { errors: ['NOT_FOUND', 'VALIDATION_FAILED'] })
  lift(@CurrentUser() user: BusinessUser, @Param('phone', PhonePipe) phone: string) {
    return this.suppressions.lift(user, phone);
  }
}
