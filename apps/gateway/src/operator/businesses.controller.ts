import { Body, Controller, Get, Headers, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ChangeBusinessRequest, CreateBusinessRequest, ListBusinessesQuery } from '../businesses/businesses.requests';
import { BusinessesService } from '../businesses/businesses.service';
import { markReplayed } from '../requests/idempotency';
import { IdPipe } from '../requests/id.pipe';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { SessionUser } from '../sessions/session-user';
import { AddedPerson, PasswordLinks } from '../users/password-links';
import { AddUserRequest } from '../users/users.requests';
import { UsersService } from '../users/users.service';
import { BusinessDetails } from './business-details';
import { BusinessDetailResponse, businessRecord, BusinessesResponse, BusinessUsersResponse } from './businesses.responses';

/** Businesses and their users (spec §11). */
@Controller('api/admin/businesses')
@NeedsSession()
export class BusinessesController {
  constructor(
    private readonly businesses: BusinessesService,
    private readonly details: BusinessDetails,
    private readonly users: UsersService,
    private readonly links: PasswordLinks,
  ) {}

  @Get()
  @Responds(BusinessesResponse, 'List the businesses')
  async list(@Query() { q }: ListBusinessesQuery) {
    return { businesses: (await this.businesses.list(q ?? null)).map(businessRecord) };
  }

  @Get(':id')
  @Responds(BusinessDetailResponse, 'Show a business with its connection, users, keys, webhooks and last problems')
  show(@Param('id', IdPipe) id: number) {
    return this.details.show(id);
  }

  @Get(':id/users')
  @Responds(BusinessUsersResponse, 'List the users of a business')
  async listUsers(@Param('id', IdPipe) id: number) {
    return { users: (await this.details.show(id)).users };
  }

  @Post()
  @Responds(Made, 'Create a business', { errors: ['IDEMPOTENCY_MISMATCH'], repeatable: true })
  async create(
    @CurrentUser() operator: SessionUser,
    @Body() request: CreateBusinessRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { id, replayed } = await this.businesses.create(operator, request, idempotencyKey);
    markReplayed(reply, replayed);
    return { id, message: 'Business created.' };
  }

  @Patch(':id')
  @Responds(Done, 'Change a business')
  async change(@CurrentUser() operator: SessionUser, @Param('id', IdPipe) id: number, @Body() request: ChangeBusinessRequest) {
    await this.businesses.change(operator, id, request);
    return { message: 'Business changed.' };
  }

  @Post(':id/users')
  @Responds(AddedPerson, 'Add a user to a business with a password, or invite them with a link', { errors: ['CONFLICT'] })
  async addUser(@CurrentUser() operator: SessionUser, @Param('id', IdPipe) business_id: number, @Body() request: AddUserRequest) {
    return this.links.added(await this.users.addToBusiness(operator, business_id, request));
  }
}
