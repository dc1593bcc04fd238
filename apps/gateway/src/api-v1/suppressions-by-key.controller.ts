import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { CurrentKey, Needs, RestApi } from '../access/rest-api';
import { authorOf, type KeyAccess } from '../api-keys/key-access';
import { PhonePipe } from '../requests/phone.pipe';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { SuppressionResponse, SuppressionsImported, SuppressionsResponse } from '../suppressions/suppressions.responses';
import { SuppressionsService } from '../suppressions/suppressions.service';
import { byKey } from './api-v1.responses';
import { ImportSuppressionsByKeyRequest, PageByKeyQuery, SetSuppressionByKeyRequest } from './by-key.requests';

/** People who get no messages, as the dashboard manages them (decisions 18 and 361). */
@Controller('api/v1/suppressions')
@RestApi()
export class SuppressionsByKeyController {
  constructor(private readonly suppressions: SuppressionsService) {}

  @Get()
  @Needs('manage_people')
  @Responds(byKey(SuppressionsResponse), 'List suppressed people, the newest first', { errors: ['QUERY_TIMEOUT'] })
  async list(@CurrentKey() { business }: KeyAccess, @Query() query: PageByKeyQuery) {
    return { success: true as const, ...(await this.suppressions.list(business.id, query)) };
  }

  @Post('import')
  @Needs('manage_people')
  @Responds(byKey(SuppressionsImported), 'Suppress up to 10,000 people; the response names the rows with faults')
  async import(@CurrentKey() key: KeyAccess, @Body() request: ImportSuppressionsByKeyRequest) {
    return { success: true as const, ...(await this.suppressions.import(authorOf(key), request)) };
  }

  @Get(':phone')
  @Needs('manage_people')
  @Responds(byKey(SuppressionResponse), 'Show the suppression of a person', {
    errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'QUERY_TIMEOUT'],
  })
  async show(@CurrentKey() { business }: KeyAccess, @Param('phone', PhonePipe) phone: string) {
    return { success: true as const, ...(await this.suppressions.get(business.id, phone)) };
  }

  @Put(':phone')
  @Needs('manage_people')
  @Responds(byKey(Done), 'Suppress a person')
  async set(@CurrentKey() key: KeyAccess, @Param('phone', PhonePipe) phone: string, @Body() request: SetSuppressionByKeyRequest) {
    return { success: true as const, ...(await this.suppressions.set(authorOf(key), phone, request)) };
  }

  @Delete(':phone')
  @Needs('manage_people')
  @Responds(byKey(Done), 'Lift a suppression of any origin', { errors: ['NOT_FOUND', 'VALIDATION_FAILED'] })
  async lift(@CurrentKey() key: KeyAccess, @Param('phone', PhonePipe) phone: string) {
    return { success: true as const, ...(await this.suppressions.lift(authorOf(key), phone)) };
  }
}
